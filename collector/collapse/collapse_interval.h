/* SPDX-License-Identifier: MIT */
/*
 * collapse_interval.h - what goes on in open tasks, from one timed event to the next, and what
 * closes.
 *
 * rewrite.c measures closed tasks by their intervals.  Times are ticks.
 */
#pragma once

#include "collector/collapse/collapse.h"

#define DEPTH 1024u /* tasks on top of one another */

/* What went on from one timed event to the next: `what` has what was ready meanwhile besides the
 * strand that begins next (struct collapse, ready), and in its lowest bits enum row. */
struct interval {
	uint32_t dt, what;
};

enum next_edge { NEXT_CREATE, NEXT_CREATE_CONT, NEXT_WAIT_CONT, NEXT_JOIN, N_NEXT };

/* Of struct interval. */
enum row {
	/* the worker was idle; what begins then is released by an edge: enum next_edge */
	ROW_BUSY = N_NEXT, /* a strand ran */
	ROW_COLLAPSED,	   /* fields said what: `dt` is which event that is */
	ROW_AFTER,	   /* up to the end of a task whose fields said what */
	ROWS = 8
};
#define READY_CREATED (1u * ROWS)
#define READY_CONTINUATION (1u << 18) /* there are fewer created tasks */
/* Up to so many creators that were left, each number of them has rows of its own: rewrite.c. */
#define DEEP 32u
#define ROW_STRANGE (1u << 31) /* with ROW_COLLAPSED: more than can be ready */

_Static_assert(COLLAPSE_SLICE <= READY_CONTINUATION / READY_CREATED,
	       "a task is created after one begins");
_Static_assert((DEPTH + 1) * (uint64_t)READY_CONTINUATION < ROW_STRANGE - READY_CONTINUATION,
	       "an open task is left once at most");

struct pending { /* a task that is collapsed once one below it on the stack is collapsed */
	uint32_t own, ready;
	uint32_t tally; /* tally_of() its site */
};

/* What went on in a task since it began. */
#define SUMS                                                                                       \
	uint64_t own;	     /* work of its strands */                                             \
	uint64_t below;	     /* of the tasks below it */                                           \
	uint64_t span, path; /* less `own`: may wrap */                                            \
	uint64_t n_waits;                                                                          \
	uint64_t n_tasks; /* below it */                                                           \
	uint32_t chain;

struct sums {
	SUMS
};

/*
 * How a task stood at the end of its last strand before which all its children had ended.  If the
 * whole cannot be collapsed, the part from its begin to this cut can (collapse_part.h).
 */
struct cut {
	struct sums sums;
	uint32_t at, pending, interval; /* in the slice, and behind the last ones */
	uint32_t join_chain, n_created, n_waited;
	uint64_t n_ids, join_span;
};

/* A task that can be collapsed, or a part of one; of those inside one another the outermost. */
struct closed {
	uint32_t at, pending, interval; /* where it begins, as in struct open_task */
	uint32_t ready;			/* before it began */
	uint64_t n_ids;			/* likewise */
	struct cut end;
};

/* Collapsing takes the place of more events than it leaves. */
#define CLOSED (COLLAPSE_SLICE / WIRE_COLLAPSED_FIELDS)

/* What nearly all events change: collapse_plain.c has a copy of it in registers. */
#define PROGRESS                                                                                   \
	struct interval *next_interval; /* of interval[] */                                        \
	struct pending *next_pending;	/* of pending[] */                                         \
	uint64_t last;			/* time of the last timed event */                         \
	uint64_t n_ids;                                                                            \
	/* strands that are ready besides the one that begins next: created tasks (READY_CREATED   \
	 * each), and creators that were left for the task that they created (READY_CONTINUATION)  \
	 */                                                                                        \
	uint32_t ready;

struct progress {
	PROGRESS
};

/* What went on in an open task for `dt`, no longer than a limit, up to a timed event. */
static inline void note_at(struct progress *now, uint64_t dt, unsigned row)
{
	*now->next_interval++ = (struct interval){ (uint32_t)dt, now->ready | row };
}
