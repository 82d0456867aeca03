/* SPDX-License-Identifier: MIT */
/*
 * states.h - elapsed x P as a table: what workers were in, by component of the breakdown.
 *
 *	running	a strand: all of the work, and nothing else
 *	runtime	a task on the worker is inside a call, or the worker goes on to a strand of its own
 *	blocked	a task on the worker waits for a lock, critical, ordered, or the like
 *	message	a task on the worker is inside a call of MPI
 *	idle	all else: no task on the worker may go on.  So are workers that nobody saw
 *	tracer	the recorder held the worker, whatever it was in besides (tracer.h)
 *
 * Ready strands are charged to idle workers first, then to those in the runtime, then to those
 * in MPI and to blocked ones, last to held ones: with q workers in a state and r strands left,
 *delay = min(q, r), and no-work is the rest of q.  The rows add up to the components, exactly.
 */
#pragma once

#include <stdint.h>

enum state {
	STATE_RUNNING,
	STATE_RUNTIME,
	STATE_BLOCKED,
	STATE_IDLE,
	STATE_TRACER,
	STATE_MESSAGE,
	STATES
};
extern const char *const state_name[STATES]; /* "running", .. as in the JSON report */
#define STATES_FREE 5
extern const enum state states_charged[STATES_FREE]; /* all but RUNNING, in the order above */

/* What a worker is in the runtime for. */
enum runtime_call {
	CALL_CREATE, /* from a creation back to its task, or on to the created one */
	CALL_FORK,
	CALL_WAIT, /* from the end of what a task waits for, or from the wait on to another task */
	CALL_LOCK, /* an object that was free, or had become so */
	CALL_YIELD,
	CALL_SIGNAL,
	CALL_BEGIN, /* from one task's end to the first strand of another */
	CALLS
};
extern const char *const call_name[CALLS]; /* "create", .. as in the JSON report */

struct charge {
	uint64_t work_ns, delay_ns, no_work_sched_ns, no_work_app_ns;
};

static inline uint64_t charge_sum(const struct charge *charge)
{
	return charge->work_ns + charge->delay_ns + charge->no_work_sched_ns +
	       charge->no_work_app_ns;
}

/* How many of the states a table has: the last one is for programs that use MPI. */
static inline int states_seen(const struct charge state[STATES])
{
	return charge_sum(&state[STATE_MESSAGE]) ? STATES : STATE_MESSAGE;
}

static inline void charge_add(struct charge *to, const struct charge *charge)
{
	to->work_ns += charge->work_ns;
	to->delay_ns += charge->delay_ns;
	to->no_work_sched_ns += charge->no_work_sched_ns;
	to->no_work_app_ns += charge->no_work_app_ns;
}
