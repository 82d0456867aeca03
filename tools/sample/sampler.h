/* SPDX-License-Identifier: MIT */
/*
 * sampler.h - samples of the stacks of a session's workers, for its trace (FORMAT.md, section 15).
 *
 * Nothing of it is in the program: the collector outside reads a ring of the kernel's for each
 * thread (sample_ring.h), follows the stacks (unwind.h), and keeps frames, stacks and samples until
 * they are written.  At each round it also looks where threads sleep, in
 * /proc/PID/task/TID/syscall, if the system lets it.
 *
 * TPTRACE_SAMPLE=off|HZ|timer[,HZ]; by default as many as this machine has for 0.5 % of the time
 * (rate.h).  Copying and following a sample costs the collector some 5 us.  Used by the thread that
 * drains.
 *
 * With `timer` the program's threads take them, by the probe of that name (timer_ring.h); all that
 * follows is the same.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/definitions/definitions.h"
#include "collector/session/gate.h"

#define SAMPLER_VARIABLE "TPTRACE_SAMPLE"
#define SAMPLER_BY_TIMER "timer"
#define SAMPLER_TIMER_HZ 100u /* the ticks of every kernel allow as many */
#define SAMPLER_HZ_MOST 10000u
#define SAMPLER_HZ_DEFAULT UINT32_MAX /* as rate.h has it */

/* What TPTRACE_SAMPLE says. */
struct sampler_asked {
	bool by_timer;
	uint32_t hz; /* samples a second of CPU time; 0: none */
};

/* False if it is invalid. */
bool sampler_ask(const char *text, struct sampler_asked *asked);

/* From one tick of the timer to the next: the kernel looks after it no more often than it has
 * ticks. */
uint64_t sampler_timer_ns(const struct sampler_asked *asked);

/* Measures what a sample costs, if nobody gave a rate: before the program starts. */
void sampler_measure(void);

/* Samples threads of process `pid`, whose session this is.  False, and *stacks as it was, if nobody
 * asked for that, or it is 0. */
bool sampler_begin(struct definitions_stacks *stacks, struct session *session,
		   const struct chunk_sizes *sizes, gate_worker *worker_at, void *arg, int pid);
