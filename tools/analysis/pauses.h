/* SPDX-License-Identifier: MIT */
/*
 * pauses.h - what workers are in (states.h) while they run no strand, and, from the same loop over
 * the strands, how many are ready from when on.
 *
 * From the end of strand s, of task T, to the start of n, the next strand on its worker:
 *
 *	s ended by a wait for a lock, n is T's		blocked; in the runtime if nobody let T go
 *							on: the lock was free
 *	likewise, for MPI or a device			message, device
 *	s ended by create, yield or signal		in the runtime: T may go on at once
 *	otherwise	idle; in the runtime from the time on that n is ready, if n is the worker's
 *			own: of a task whose last strand ran here, or released by one that ran here
 *
 * Whatever s ended by, all is as `otherwise` if n is T's and had to wait for a task, or if T has
 * gone on on another worker before n starts.  If nothing is known to have released n, the worker is
 * idle.  A worker that runs other tasks while T waits for a lock is not blocked: T left it.  After
 * its last strand a worker is idle; but while T has not gone on elsewhere, it stays blocked, or in
 * a create, yield or signal.
 */
#pragma once

#include "tools/analysis/released.h"
#include "tools/analysis/states.h"
#include "tools/analysis/tracer.h"
#include "tools/dag/dag.h"

struct pauses {
	/* by strand, its worker's pause: enum state | enum runtime_call << 3 | flags; never 0 */
	uint8_t *after;
	struct turn {
		uint64_t ns; /* from then on, until the pause is over, it is in the runtime */
		uint32_t worker;
	} * turn; /* n_turns, in no order */
	uint64_t n_turns;
	struct tracer tracer;	  /* when the recorder held them, whatever they were in besides */
	struct released released; /* by the strands of all runtimes */
};
#define PAUSE_OF_NEXT 64u /* its time in the runtime is the next strand's task's */
#define PAUSE_TURNS 128u  /* it has a turn */

void pauses_find(struct pauses *pauses, const struct dag *dag);
void pauses_free(struct pauses *pauses);		       /* a zeroed one is fine */

/* What it begins with: any but STATE_RUNNING and STATE_TRACER. */
static inline enum state pause_state(uint8_t after)
{
	return (enum state)(after & 7);
}
/* What for the worker is in the runtime, if it is at any time of the pause. */
static inline enum runtime_call pause_call(uint8_t after)
{
	return (enum runtime_call)(after >> 3 & 7);
}
