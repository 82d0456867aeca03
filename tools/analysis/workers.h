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
		uint8_t state; /* enum state, which follows from the others */
	} * now;	       /* n_slots */
	struct worker_change {
		uint64_t ns;
		uint32_t worker;
		uint8_t what;
	} * change; /* turns and holds, in order of time; behind the last, one that never comes */
	uint64_t n_changes, at;
	uint32_t n[STATES]; /* that are in each state */
};

/* Of the workers of these runtimes (bits). */
void workers_open(struct workers *workers, const struct dag *dag, const struct pauses *pauses,
		  uint16_t runtimes);
void workers_close(struct workers *workers); /* a zeroed one is fine */

/* What it is in now; STATE_RUNNING while it runs a strand of these runtimes. */
static inline enum state workers_state(const struct workers *workers, uint32_t worker)
{
	return (enum state)workers->now[worker].state;
}

/* After what it follows from has changed. */
static inline void workers_set(struct workers *workers, struct worker_now *now, enum state state)
{
	if (now->held)
		state = STATE_TRACER;
	workers->n[now->state]--;
	workers->n[state]++;
	now->state = (uint8_t)state;
}

/*
 * A strand of these runtimes starts on it, or ends: then `after` is what pauses.h says of it, or
 * STATE_IDLE where another runtime's strand starts.
 */
static inline void workers_start(struct workers *workers, uint32_t worker)
{
	struct worker_now *now = &workers->now[worker];

	now->runs = true;
	workers_set(workers, now, STATE_RUNNING);
}

static inline void workers_end(struct workers *workers, uint32_t worker, uint8_t after)
{
	struct worker_now *now = &workers->now[worker];

	now->runs = now->turned = false;
	now->after = after;
	workers_set(workers, now, pause_state(after));
}

/* When the next of them turns from one state to another in a pause; UINT64_MAX for never. */
static inline uint64_t workers_until(const struct workers *workers)
{
	return workers->change[workers->at].ns;
}
/* It does so now; which worker. */
uint32_t workers_turn(struct workers *workers);
