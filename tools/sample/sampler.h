/* SPDX-License-Identifier: MIT */
/*
 * sampler.h - samples of the stacks of a session's workers, for its trace (FORMAT.md, section 15).
 *
 * Nothing of it is in the program: the collector outside reads a ring of the kernel's for each
 * thread (sample_ring.h), follows the stacks (unwind.h), and keeps frames, stacks and samples until
 * they are written.  At each round it also looks where threads sleep, in
 * /proc/PID/task/TID/syscall, if the system lets it.
 *
 * TPTRACE_SAMPLE=off|HZ; by default as many as this machine has for 0.5 % of the time (rate.h).
 * Copying and following a sample costs the collector some 5 us.  Used by the thread that drains.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/definitions/definitions.h"
#include "collector/session/gate.h"

#define SAMPLER_VARIABLE "TPTRACE_SAMPLE"
#define SAMPLER_HZ_MOST 10000u
#define SAMPLER_HZ_DEFAULT UINT32_MAX /* as rate.h has it */

/* What TPTRACE_SAMPLE says: samples a second of CPU time, 0 for none.  False if it is invalid. */
bool sampler_hz(const char *text, uint32_t *hz);

/* Measures what a sample costs, if nobody gave a rate: before the program starts. */
void sampler_measure(void);

/* Samples threads of process `pid`, whose session this is.  False, and *stacks as it was, if nobody
 * asked for that, or it is 0. */
bool sampler_begin(struct definitions_stacks *stacks, struct session *session,
		   gate_worker *worker_at, void *arg, int pid);
