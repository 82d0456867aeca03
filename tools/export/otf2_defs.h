/* SPDX-License-Identifier: MIT */
/*
 * otf2_defs.h - the definitions of an OTF2 archive: what its events refer to by number.
 *
 * A process of the archive is a location group, with a location for each worker and one for its
 * counters, and a team.  Regions of the same name, file and line are one in all processes.
 */
#pragma once

#include <otf2/otf2.h>

#include "tools/export/frames.h"
#include "tools/export/otf2_comms.h"

enum { OTF2_DEFS_TASK, OTF2_DEFS_PARENT }; /* attributes */

struct otf2_defs {
	OTF2_GlobalDefWriter *writer;
	OTF2_StringRef n_strings;
	bool failed;
	/* of all processes */
	uint64_t *location, n_locations, location_room; /* those there are */
	uint64_t *member, n_members, member_room;	/* those of workers, by process */
	uint64_t *first;				/* n_processes + 1: in member[] */
	uint64_t *head; /* n_processes: the location that stands for it in MPI */
	uint64_t n_hosts, host_room;
	char **host;	      /* n_hosts */
	struct map region_of; /* hash of all that a region says -> region + 1 */
	uint32_t n_regions;
	uint32_t n_processes; /* of the archive */
	/* of the one at hand */
	const struct export *export;
	uint32_t process;
	uint64_t base;	    /* the location of its worker 0; the counters' is base + n_slots */
	uint32_t *rank;	    /* by worker: in the team */
	uint64_t *n_events; /* by location: n_slots + 1 */
	uint32_t *region;   /* by frame */
};

/* A process's team, and its metrics. */
static inline OTF2_CommRef otf2_defs_team(const struct otf2_defs *defs)
{
	return defs->process;
}
static inline OTF2_MetricRef otf2_defs_running(const struct otf2_defs *defs)
{
	return 2 + 2 * defs->process; /* 0 and 1 are the classes */
}
static inline OTF2_MetricRef otf2_defs_ready(const struct otf2_defs *defs)
{
	return otf2_defs_running(defs) + 1;
}

/* Begins an archive of so many processes, and so many ns.  0 or -EIO; that may come at the end. */
int otf2_defs_open(struct otf2_defs *defs, OTF2_Archive *archive, uint32_t n_processes,
		   uint64_t length_ns);
void otf2_defs_close(struct otf2_defs *defs); /* a zeroed one is fine */

/* The next process, before its events, which fill ->n_events; and after them. */
void otf2_defs_begin(struct otf2_defs *defs, const struct export *export,
		     const struct frames *frames);
void otf2_defs_end(struct otf2_defs *defs, const struct job_times *times); /* NULL: of one */
/* After the last one.  0 or -EIO. */
int otf2_defs_put(struct otf2_defs *defs, OTF2_Archive *archive, const struct otf2_comms *comms);

/* What the archive says of itself: facts, as its properties; of a job's one process its own are
 * left out. */
void otf2_defs_describe(OTF2_Archive *archive, const struct export *export, uint32_t n_processes);
