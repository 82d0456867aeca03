/* SPDX-License-Identifier: MIT */
/*
 * marks.h - marks that the collector took before there is a file, or for the flight recorder.
 *
 * The newest MARKS_KEPT are kept whole.  Of older ones only the starts and stops stay, as these say
 * what of the time is analysed; the others are counted as lost.  Used by one thread at a time.
 */
#pragma once

#include <stdint.h>
#include "collector/trace/lines.h"
#include "collector/session/layout.h"

#define MARKS_KEPT 16384u

struct marks_turn {
	uint64_t ticks;
	enum wire_mark what;
};

struct marks {
	struct session_mark *recent; /* a ring of MARKS_KEPT; NULL until there is one */
	uint64_t n;		     /* ever */
	struct marks_turn *turn;     /* starts and stops that are older */
	uint32_t n_turns;
	uint64_t n_lost, lost_first, lost_last; /* ticks of the first and the last */
};

/* Keeps a copy. */
void marks_keep(struct marks *marks, const struct session_mark *mark);

/* Writes the lines of all that are kept, in order. */
void marks_put(const struct marks *marks, uint32_t shift, struct lines *out);

/* Writes what was lost of the session's marks, here or before they got here; nothing if none was.
 */
void marks_put_lost(const struct marks *marks, const struct session *session, uint32_t shift,
		    struct lines *out);

/*
 * Has the session's marks from number `from` on taken again, which a dead collector took and did
 * not write.  They lie in a ring: those that later ones have gone over are lost.
 */
void marks_take_again(struct session *session, uint32_t from);

/* How many were lost. */
uint64_t marks_lost(const struct marks *marks, const struct session *session);

/* Forgets those that are kept, and remembers what was lost. */
void marks_clear(struct marks *marks);
void marks_free(struct marks *marks); /* a zeroed one is fine */
