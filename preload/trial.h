/* SPDX-License-Identifier: MIT */
/*
 * trial.h - what recording takes of a program that makes tasks, tried out by the recorder and by
 * the shim itself.
 *
 * A shim's calls cost more than their events: the wrapper, the look for the call's site, the frame
 * around a task's code.  How much, depends on the shim and on the processor.  So the first thread
 * that makes a task of a runtime has the shim make some hundred, for stand-ins of the runtime that
 * return at once, with its wrappers and without (record_trial()).  The difference is what recording
 * adds.  It is the least of many rounds, and less than in a program, which leaves fewer caches to
 * the recorder: the report must not take out more than there was.
 *
 * Events go to a worker that only the trial has.  Nothing of it reaches the runtime, the trace or
 * the program; the thread gets no signals meanwhile.  It takes at most a millisecond.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct clock;
struct session;
struct worker;

/*
 * On the thread that starts the session, in some tenths of a millisecond: the cost of one event,
 * clock, ring and all, where the ring is in the cache, as it is where events are many; and how much
 * of two lies in the strand between them.  The cost is what a program takes longer, or that of
 * events one after the other if it is less: a lower bound, since the report subtracts it from a
 * run. Sets session->event_ps and strand_ps; 0 without memory.
 */
void trial_events(struct session *session);

/* A worker of the trial's own, which is never full; NULL. */
struct worker *trial_worker(uint32_t index, uint32_t slots, const struct clock *slow_clock);
/*
 * What recording adds to what is made, in ps for each of n strands, by the least of some rounds, as
 * an interrupt only ever adds; 0: nothing.  In rounds of fewer events than n_kept later ones go
 * over earlier ones.  Takes the worker, which is the thread's meanwhile.
 */
uint64_t trial_added_ps(struct worker *worker, void (*make)(bool recorded), int n_rounds,
			uint32_t n, uint64_t n_kept);

/* Tries all that was tried once more, at the end, when it is called first: the lesser figure
 * counts.  On a thread in no call of a runtime. */
void trial_again(void);

#define TRIAL_MOST_PS                                                                              \
	1000000u /* more is no measurement; no reader takes it (collector/trace/defs.h) */

/* Some 20 ns of a program; with a `sum`, a few locked instructions are among them.  A processor
 * does a part of the recorder's work meanwhile.  What it returns depends on `a`. */
static __attribute__((noinline, unused)) uint64_t trial_steps(uint64_t a, uint64_t *sum)
{
	uint64_t b = 1, c = 2, d = 3;

	for (uint64_t i = 0; i < 20; i++) {
		if (sum && i % 5 == 0)
			__atomic_fetch_add(sum, 1, __ATOMIC_SEQ_CST);
		a = a * 3 + i;
		b += c ^ i;
		c = (c >> 1) + d;
		d ^= b + i;
		__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
	}
	return a ^ b ^ c ^ d;
}
