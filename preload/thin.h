/* SPDX-License-Identifier: MIT */
/*
 * thin.h - what a worker hands over is thinned first, by itself, while it is hot in its cache.
 *
 * A raw event that crosses to the collector's core costs more than to take it out where it was
 * made, and one collector is slower than many workers.  So in a session that collapses, a worker
 * makes its events in `fresh` (collector/session/handed.h).  When that is full, the collector's own
 * pass (collector.h, `thin`) runs over it on the worker's thread, and what remains goes to the
 * ring. What is taken out is told there, too, in events of the ring alone
 * (collector/drain/tally.h).
 *
 * The pass works on a copy; nothing is changed until the remains are in the ring.  The collector
 * may be faster and take what is fresh as it is (collector/drain/fetch.h): then there is nothing
 * left to do.  All functions are for the worker's own thread, off the hot path; none waits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/session/handed.h"

#define THIN_BYTES (768u << 10) /* that one worker's thinning takes, at most */
#define THIN_SPARE 4u		/* slots of the ring that stay free */
#define THIN_NOTES 64u		/* slots that stay free for notes when it is time to hand over */

struct session;

/* Whether the workers of this session thin. */
bool thin_on(const struct session *session);

enum thin_end {
	THIN_DONE,  /* nothing is fresh any more */
	THIN_FULL,  /* the ring has no room for what remains */
	THIN_TAKEN, /* the collector is about to hand it over itself */
};
/* n_ids: given out by all that was recorded. */
enum thin_end thin_hand_over(struct worker *worker, struct session *session, uint64_t n_ids);

/* Where the worker looks up and hands nothing over. */
void thin_follow(struct worker *worker);

/* So many fresh events are handed over, or a few more: half the ring has room for them. */
static inline uint64_t thin_at(const struct worker *worker)
{
	uint64_t half = (worker->ring_mask + 1) / 2;

	return (half < FRESH_SLOTS ? half : FRESH_SLOTS) - THIN_NOTES;
}

/* How many are fresh. */
static inline uint64_t thin_fresh(const struct worker *worker)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);

	return head - handed_base(worker_handed(worker), head);
}
