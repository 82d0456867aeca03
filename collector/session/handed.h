/* SPDX-License-Identifier: MIT */
/*
 * handed.h - what a worker that thins its events has handed over, from `fresh` to its ring.
 *
 * One word says it: the low bits of the number of events that the ring got, those of the number
 * that left `fresh` for it, and who is about to change the word.  So a process that is killed at
 * any instant leaves each event in exactly one of the two, for `tptrace recover`.  Who has claimed
 * the word writes the ring's slots behind `given`, and nobody else does: the worker, or the
 * collector in its place.  Nobody takes a claim from who has it, however long that is: a worker may
 * have lost its CPU in the middle of a copy.  Only after a collector that has died, or a thread
 * that is gone, the next one finishes what it began.  Neither waits for the other for long: see
 * thin.h and collector/drain/fetch.h.
 *
 * The worker writes `fresh` behind head and nobody else does; what is between base and head stays
 * there until the word is changed.
 */
#pragma once

#include "collector/session/ring.h"

/* Events of a worker, to be thinned: number i is slot[(first + i) & mask]. */
struct thin_source {
	const struct wire_event *slot;
	uint64_t first, mask;
	uint32_t n;
	uint32_t worker;
	uint64_t n_ids; /* given out before; brought up to date */
};

enum handed_claim { HANDED_FREE, HANDED_BY_WORKER, HANDED_BY_COLLECTOR };
#define HANDED_BITS 31u
#define HANDED_MASK ((UINT64_C(1) << HANDED_BITS) - 1)

static inline uint64_t handed_make(uint64_t given, uint64_t base, enum handed_claim claim)
{
	return (given & HANDED_MASK) | (base & HANDED_MASK) << HANDED_BITS |
	       (uint64_t)claim << 2 * HANDED_BITS;
}

static inline enum handed_claim handed_claim(uint64_t handed)
{
	return (enum handed_claim)(handed >> 2 * HANDED_BITS);
}

/* The same word, claimed by that one. */
static inline uint64_t handed_claimed(uint64_t handed, enum handed_claim claim)
{
	return (handed & ~(UINT64_C(3) << 2 * HANDED_BITS)) | (uint64_t)claim << 2 * HANDED_BITS;
}

/* The number of events that the ring got; `tail` is that of those taken, at that time or before. */
static inline uint64_t handed_given(uint64_t handed, uint64_t tail)
{
	return tail + ((handed - tail) & HANDED_MASK);
}

/* The number of events that left `fresh`; `head` is that of those made, at that time or after. */
static inline uint64_t handed_base(uint64_t handed, uint64_t head)
{
	return head - ((head - (handed >> HANDED_BITS)) & HANDED_MASK);
}

static inline uint64_t worker_handed(const struct worker *worker)
{
	return atomic_load_explicit(&worker->handed, memory_order_acquire);
}

/* Events that the ring got since the start: all, but where they are thinned. */
static inline uint64_t worker_given(const struct worker *worker)
{
	if (!worker->thins)
		return atomic_load_explicit(&worker->head, memory_order_acquire);
	return handed_given(worker_handed(worker),
			    atomic_load_explicit(&worker->tail, memory_order_relaxed));
}
