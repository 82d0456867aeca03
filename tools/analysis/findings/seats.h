/* SPDX-License-Identifier: MIT */
/*
 * seats.h - who sits where while a sweep goes on: what each worker runs, whom it keeps from going
 * on, and what a ready strand has lost so far.
 */
#pragma once

#include "tools/analysis/findings/ahead.h"
#include "tools/analysis/findings/clues.h"
#include "tools/analysis/sweep.h"
#include "tools/base/pages.h"

/* A strand that may go on, on a worker that runs something else or is in the runtime. */
struct parked {
	strand_id stopped; /* its task's strand before it */
	strand_id over;	   /* what the worker ran first since; STRAND_NONE */
	double ran;	   /* the seat's, when it was parked */
	uint64_t since_ns; /* when `over` was in its way */
};

/* A task's newest strand that ended with a wait, or itself. */
struct waited {
	double lost;	  /* by then */
	strand_id strand; /* STRAND_NONE */
};

#define PARKED_MOST 256u /* of a worker; further ones are not told from those in the runtime */

struct seat {			 /* of a worker */
	strand_id running, last; /* STRAND_NONE */
	uint64_t idle_ns;	 /* since when nothing runs */
	double ran;		 /* what a ready strand lost while this worker ran strands, .. */
	double ran_from;	 /* .. but for the one that runs: what one had lost when it began */
	double busy_from;	 /* integral of running workers when it began */
	double waiting_from;	 /* watch->locked, ->barred or ->called, when that began */
	struct parked *parked;
	uint32_t n_parked;
	uint64_t room;
};

struct seats {
	const struct sweep *sweep;
	const struct dag *dag;
	const struct ahead *ahead;
	struct seat *seat;     /* n_slots */
	uint64_t n_buried;     /* parked strands whose workers run others */
	uint64_t n_blocked;    /* workers that wait for locks */
	uint64_t n_idle_wait;  /* workers that take nothing while they wait */
	uint64_t n_calling;    /* workers in calls of locks that are free */
	double lost;	       /* what a ready strand has lost since the window began */
	double locked, barred; /* likewise a blocked worker, and one in such a wait */
	double called;	       /* and one in such a call */
	double busy;	       /* integral of running workers */
	/* double by strand whose end made others ready that still are: `lost` then */
	struct pages ended;
	uint8_t *is_parked; /* by strand, a bit: the next one of its task is */
	/* struct waited by task that has begun, until it and all that it creates have begun and it
	 * has ended */
	struct pages waited;
};

void seats_open(struct seats *watch, const struct sweep *sweep, const struct ahead *ahead);
void seats_close(struct seats *watch); /* a zeroed one is fine */

/* Of the task that created the one whose first strand starts next, or is ready. */
static inline const struct waited *seats_waited(const struct seats *watch, task_id creator)
{
	return pages_at(&watch->waited, creator);
}
/* `lost` when the strand ended that releases the one that starts. */
double seats_lost_at_end(const struct seats *watch, strand_id s);
/* What a ready strand lost while that worker ran strands, up to now. */
double seats_ran(const struct seats *watch, const struct seat *seat);
/* The strand as it is parked; NULL if it is not. */
struct parked *seats_parked(const struct seats *watch, strand_id s);
/* LAG_AWAY if what it waits for was created by it, else LAG_BURIED. */
enum lag seats_burial(const struct seats *watch, const struct parked *parked);

/*
 * The sweep's strand starts or ends; what it lost is to be read before.  `parked` is seats_parked()
 * of it.
 */
void seats_start(struct seats *watch, struct parked *parked);
void seats_end(struct seats *watch);
