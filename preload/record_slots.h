/* SPDX-License-Identifier: MIT */
/*
 * record_slots.h - the hot path of events whose slots are found before they are stored: a wrapper
 * has nothing to keep but across the runtime's call.
 */
#pragma once

#include "preload/record_event.h"

/*
 * Hot path: worker_enter() from `least` or higher, if n events can be stored without a call; else
 * all is as it was, for a function of its own that does it.  `head` is the first one's number, read
 * when no handler can store any more.
 */
static inline bool record_enter(struct worker *worker, enum worker_state least, uint64_t *head,
				unsigned n)
{
	enum worker_state was = worker_state(worker);

	if (__builtin_expect(was < least || !worker_counts_ticks(worker), 0))
		return false;
	worker_enter(worker);
	if (worker_has_slots(worker, head, n))
		return true;
	worker_turn(worker, was);
	return false;
}

/* Hot path: the same for an event that ends this thread's strand: it is for record_end_strand_in().
 */
static inline bool record_enter_strand(struct worker *worker, uint64_t *head)
{
	return __builtin_expect(worker && worker->task != 0, 1) &&
	       record_enter(worker, WORKER_INSIDE, head, 1);
}

/* Hot path: after that: ends the strand. */
static inline void record_end_strand_in(struct worker *worker, uint64_t head, enum wire_kind kind,
					uint64_t b)
{
	worker_fill(worker, head, event_of_counter(kind), b);
	worker_commit_to(worker, head + 1);
	worker_turn(worker, WORKER_OUTSIDE);
}

/* Hot path: after record_enter(): begins a strand. */
static inline void record_begin_strand_in(struct worker *worker, uint64_t head, enum wire_kind kind,
					  uint64_t b)
{
	worker_fill(worker, head, event_of_counter(kind), b);
	worker_commit_to(worker, head + 1);
	worker_turn(worker, WORKER_INSIDE);
}
