/* SPDX-License-Identifier: MIT */
/*
 * states.h - elapsed x P as a table: what workers were in, by component of the breakdown.
 *
 *	running	a strand: all of the work, and nothing else
 *	tracer	the recorder held the worker (tracer.h)
 *	other	all else: in the runtime, blocked by a lock, idle.  Not told apart yet
 *
 * A ready strand is charged to a worker that is free in another way first, and to a held one last:
 * with q free workers, h of them held, and r strands ready, the held ones have
 *
 *	no-work = min(h, max(0, q - r))		delay = h - that
 *
 * The rows add up to the components, exactly.
 */
#pragma once

#include <stdint.h>

enum state { STATE_RUNNING, STATE_OTHER, STATE_TRACER, STATES };
extern const char *const state_name[STATES]; /* "running", .. as in the JSON report */

struct charge {
	uint64_t work_ns, delay_ns, no_work_sched_ns, no_work_app_ns;
};

static inline uint64_t charge_sum(const struct charge *charge)
{
	return charge->work_ns + charge->delay_ns + charge->no_work_sched_ns +
	       charge->no_work_app_ns;
}

/* What is left of min(h, q) held workers for no-work, which is q - min(q, r). */
static inline uint64_t states_held_no_work(uint64_t n_held, uint64_t no_work)
{
	return n_held < no_work ? n_held : no_work;
}

/* Fills the other rows, once those of the states that are told apart, and the total, are right. */
void states_complete(struct charge state[STATES], const struct charge *total);
