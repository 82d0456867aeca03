/* SPDX-License-Identifier: MIT */
/*
 * sample_place.h - samples that a worker's thread takes of itself at a timer's signal, and where
 * the collector outside finds them: behind the slots of the worker's chunks (place.h).
 *
 * One producer, the probe `timer` on the thread that has the worker; one consumer, the collector,
 * which trusts no number.  A place without that probe has none: chunk_sizes.sample_bytes is 0.
 */
#pragma once

#include "collector/session/place.h"

#define SAMPLE_STACK 2048u /* bytes of it in a sample: the frames of a printf() take 1,500 */
#define SAMPLE_REGS 17u
#define SAMPLE_PLACES 64u /* the collector rests 40 ms: more than what comes at 1000 Hz */

struct placed_sample {
	uint64_t ns;		   /* when, by CLOCK_MONOTONIC */
	uint64_t ip;		   /* and where */
	uint64_t reg[SAMPLE_REGS]; /* as perf's: ax bx cx dx si di bp sp ip r8 .. r15; x86-64 */
	uint64_t bytes;		   /* of the stack, from sp on */
	char stack[SAMPLE_STACK];
};

enum sample_place_state {
	SAMPLE_PLACE_NEW, /* there is no thread, or no timer yet */
	SAMPLE_PLACE_ON,
	SAMPLE_PLACE_REFUSED, /* `error` is why */
	SAMPLE_PLACE_ENDED,   /* the program took the signal for itself */
};

struct sample_place {
	_Alignas(64) _Atomic uint64_t head; /* samples that were put here; never wraps */
	_Atomic uint64_t lost;		    /* that were due, and not put here */
	_Atomic uint32_t state;		    /* enum sample_place_state */
	_Atomic uint32_t error;		    /* errno */
	_Alignas(64) _Atomic uint64_t tail; /* the collector's: samples that it took */
	struct placed_sample sample[SAMPLE_PLACES];
};

/* Where sizes->sample_bytes is sizeof(struct sample_place). */
static inline struct sample_place *sample_place_of(struct worker *worker,
						   const struct chunk_sizes *sizes)
{
	return (struct sample_place *)((char *)worker + chunk_end_bytes(sizes));
}
