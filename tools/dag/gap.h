/* SPDX-License-Identifier: MIT */
/*
 * gap.h - events that are missing: what they leave open is closed, what they hide is found.
 *
 * A gap is told where it is in the worker's stream, right after the event before it.  So it is
 * known before any event of another worker that it may explain.
 */
#pragma once

#include "tools/dag/join.h"
#include "tools/dag/kind.h"

struct gap_lane {	      /* a worker's newest gap */
	uint64_t gap;	      /* its number in dag->gap[] */
	strand_id cut;	      /* what it cut off; STRAND_NONE */
	strand_id before_gap; /* what it, or several in a row, cut off; STRAND_NONE */
	bool after_gap;	      /* the next timed event is the first after it */
};

struct gaps {
	struct state *state;
	struct kinds *kinds;
	struct join *join;
	struct gap_lane *lane;
	bool unrecorded; /* threads were not recorded, as there was no memory; or it was not said,
			  * for want of the trace's end */
};

void gap_open(struct gaps *gaps, struct state *state, struct kinds *kinds, struct join *join);
void gap_free(struct gaps *gaps);

/* Events of the worker at hand are missing: LOST, and SINCE and UNTIL that follow it. */
int gap_event(struct gaps *gaps);
/* Before a timed event of that worker, if a gap ended there: it began no later. */
void gap_over(struct gaps *gaps);
/* Whether the event at hand is the first after a gap. */
static inline bool gap_before(const struct gaps *gaps)
{
	return gaps->lane[gaps->state->worker].after_gap;
}
/* Whether the event at hand is the first after a stop. */
bool gap_was_asked_for(const struct gaps *gaps);
/* Whether the task may have gone on, and stopped again, in the gap before the event at hand. */
bool gap_hides(const struct gaps *gaps, task_id task);
/*
 * Whether the end of the strand that the task runs may be missing without a gap that says so: a
 * killed program had no time to tell of one, nor has a ring that `tptrace recover` could not read,
 * nor has an old snapshot the notes of its last moment.
 */
bool gap_is_untold(const struct gaps *gaps, task_id task);

/* A task of which nobody saw how it was made; `id` is 0 if it has none to be found by. */
int gap_task(struct gaps *gaps, uint64_t id, task_id *out);
/* The task runs on, though its strand on another worker has not ended: that end is missing. */
int gap_elsewhere(struct gaps *gaps, task_id task);
/*
 * A strand begins where another runs: a task of a thread that was not recorded had begun that one,
 * as far as anybody saw, and was over at once.  An error if all threads were recorded.
 */
int gap_unrecorded(struct gaps *gaps);
/*
 * A strand ends where none runs: its task went on there from such a thread, which nobody saw.  What
 * is said of the task after that is of none that is known.  An error if all threads were recorded.
 */
int gap_unseen(struct gaps *gaps);

/* At the end: times of gaps become those of the window, and they are brought in order. */
void gap_finish(struct dag *dag);
