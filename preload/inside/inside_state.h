/* SPDX-License-Identifier: MIT */
/*
 * inside_state.h - the life of the collector inside, in one word.
 *
 *	GONE -> RUNNING			it starts with the session
 *	GONE, FAILED -> STARTING	as the successor of a dead one outside, ..
 *	STARTING -> RUNNING, FAILED	.. for which there may be no thread or memory for now
 *	RUNNING -> ENDING -> ENDED	an end was asked for, and is in the trace
 *	ENDED -> RUNNING		paused, and the program went on: the end is taken back
 *	ENDED -> CLOSED			exit() has run all its handlers: nothing takes it back
 *	RUNNING, ENDED -> GONE		there is no thread to be had; finished for good
 *
 * Its own thread makes the steps from RUNNING to ENDED and back; all others are made by a thread
 * that starts or ends something.  A forked child begins at GONE (abandon of preload/collector.h).
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#ifdef TEST_POINTS
#include <stdlib.h>
#endif

enum state {
	STATE_GONE, /* nobody collects in here: a process outside may */
	STATE_STARTING,
	STATE_FAILED,
	STATE_RUNNING,
	STATE_ENDING,
	STATE_ENDED,
	STATE_CLOSED,
	STATES
};

/* Which states may follow that one, a bit each. */
static inline uint32_t state_next(enum state from)
{
	static const uint32_t next[STATES] = {
		[STATE_GONE] = 1u << STATE_STARTING | 1u << STATE_RUNNING,
		[STATE_STARTING] = 1u << STATE_RUNNING | 1u << STATE_FAILED,
		[STATE_FAILED] = 1u << STATE_STARTING,
		[STATE_RUNNING] = 1u << STATE_ENDING | 1u << STATE_GONE,
		[STATE_ENDING] = 1u << STATE_ENDED,
		[STATE_ENDED] = 1u << STATE_RUNNING | 1u << STATE_CLOSED | 1u << STATE_GONE,
	};

	return next[from];
}

/* False if it is another one by now.  Where tests stop at points, a step that is not in the list
 * above ends the program. */
static inline bool state_move(_Atomic uint32_t *state, enum state from, enum state to)
{
	uint32_t is = from;

#ifdef TEST_POINTS
	if (!(state_next(from) >> to & 1))
		abort();
#endif
	return atomic_compare_exchange_strong(state, &is, to);
}

/* Whether a thread in here takes events, or is about to: it can be asked for an end. */
static inline bool state_collects(const _Atomic uint32_t *state)
{
	const uint32_t is = atomic_load(state);

	return is == STATE_STARTING || (is >= STATE_RUNNING && is <= STATE_ENDED);
}
