/* SPDX-License-Identifier: MIT */
/* otf2_defs.h - the definitions of an OTF2 archive: what its events refer to by number. */
#pragma once

#include <otf2/otf2.h>

#include "tools/export/frames.h"

/* Numbers of definitions, each of its own kind.  Regions have those of frames, locations those of
 * workers; the counters' location is the dag's n_slots. */
enum { OTF2_DEFS_TEAM = 0 };
enum { OTF2_DEFS_TASK, OTF2_DEFS_PARENT };	 /* attributes */
enum { OTF2_DEFS_RUNNING = 2, OTF2_DEFS_READY }; /* metrics: 0 and 1 are their classes */

struct otf2_defs {
	const struct export *export;
	uint32_t *rank;	    /* by worker: in the team */
	uint64_t *n_events; /* by location: n_slots + 1 */
	OTF2_GlobalDefWriter *writer;
	OTF2_StringRef n_strings;
	bool failed;
};

int otf2_defs_open(struct otf2_defs *defs, const struct export *export); /* 0 or -ENOMEM */
void otf2_defs_close(struct otf2_defs *defs);				 /* a zeroed one is fine */

/* Writes all of them, when all events are.  0, -EIO or -ENOMEM. */
int otf2_defs_put(struct otf2_defs *defs, OTF2_Archive *archive, const struct frames *frames);

/* What the archive says of itself: facts, as its properties. */
void otf2_defs_describe(OTF2_Archive *archive, const struct export *export);
