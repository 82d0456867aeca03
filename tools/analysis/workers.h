/* SPDX-License-Identifier: MIT */
/*
 * workers.h - what each worker is in, as time goes by: for a sweep, which tells of its strands.
 *
 * Of the workers of some runtimes.  One that runs another runtime's strand, or that nobody has seen
 * yet, is idle.
 */
#pragma once

#include "tools/analysis/pauses.h"

struct workers {
	struct worker_now {
		uint8_t after; /* of its pause: pauses.h; 0 before its first strand */
		bool runs;
		bool turned; /* its pause is past its turn */
		bool held;
	} * now; /* n_slots */
	struct worker_change {
		uint64_t ns;
		uint32_t worker;
		uint8_t what;
	} * change; /* turns and holds, in order of time; behind the last, one that never comes */
	uint64_t n_changes, at;
	uint32_t n[STATES]; /* that are in each state */
};

/* Of the workers of these runtimes (bits).  0 or -ENOMEM. */
int workers_open(struct workers *workers, const struct dag *dag, const struct pauses *pauses,
		 uint16_t runtimes);
void workers_close(struct workers *workers); /* a zeroed one is fine */

/* What it is in now; STATE_RUNNING while it runs a strand of these runtimes. */
static inline enum state workers_state(const struct workers *workers, uint32_t worker)
{
	const struct worker_now *now = &workers->now[worker];

	if (now->held)
		return STATE_TRACER;
	if (now->runs)
		return STATE_RUNNING;
	if (now->turned)
		return STATE_RUNTIME;
	return now->after ? pause_state(now->after) : STATE_IDLE;
}

/*
 * A strand of these runtimes starts on it, or ends: then `after` is what pauses.h says of it, or
 * STATE_IDLE where another runtime's strand starts.
 */
static inline void workers_start(struct workers *workers, uint32_t worker)
{
	struct worker_now *now = &workers->now[worker];

	workers->n[workers_state(workers, worker)]--;
	now->runs = true;
	workers->n[workers_state(workers, worker)]++;
}

static inline void workers_end(struct workers *workers, uint32_t worker, uint8_t after)
{
	struct worker_now *now = &workers->now[worker];

	workers->n[workers_state(workers, worker)]--;
	now->runs = now->turned = false;
	now->after = after;
	workers->n[workers_state(workers, worker)]++;
}

/* When the next of them turns from one state to another in a pause; UINT64_MAX for never. */
static inline uint64_t workers_until(const struct workers *workers)
{
	return workers->change[workers->at].ns;
}
/* It does so now; which worker. */
uint32_t workers_turn(struct workers *workers);
