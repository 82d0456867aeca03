/* SPDX-License-Identifier: MIT */
/*
 * record_event.h - the hot path: how an event gets into the ring of its worker.
 *
 * For record.h, which says what events tell of tasks, and for shims that read the clock before they
 * know what happened.  An event is stored between worker_enter() and worker_turn(), so that a
 * signal handler finds out; its clock is read first of all if it ends a strand, and last if it
 * begins one.
 */
#pragma once

#include "preload/record_rare.h"

/* Hot path: event_at(clock_ticks(), kind). */
static inline uint64_t event_of_counter(enum wire_kind kind)
{
	return clock_ticks_shifted(8, kind);
}

/* Hot path: after worker_enter(): an event; `a` holds its time. */
static inline void record_put(struct worker *worker, enum wire_kind kind, uint64_t a, uint64_t b,
			      enum worker_state then)
{
	uint64_t head;

	if (worker_has_slots(worker, &head, 1)) {
		worker_fill(worker, head, a, b);
		worker_commit_to(worker, head + 1);
		worker_turn(worker, then);
	} else {
		record_put_else(worker, kind, a, b, then);
	}
}

/* Hot path: after worker_enter(): a timed event; its time is that of the call. */
static inline void record_put_now(struct worker *worker, enum wire_kind kind, uint64_t b,
				  enum worker_state then)
{
	if (worker_counts_ticks(worker))
		record_put(worker, kind, event_of_counter(kind), b, then);
	else
		record_now_else(worker, kind, b, then);
}

/* Hot path: after worker_enter(): a timed event that begins a strand: the clock is read last. */
static inline void record_put_strand(struct worker *worker, enum wire_kind kind, uint64_t b)
{
	uint64_t head;

	if (worker_has_slots(worker, &head, 1) && worker_counts_ticks(worker)) {
		worker_fill(worker, head, event_of_counter(kind), b);
		worker_commit_to(worker, head + 1);
		worker_turn(worker, WORKER_INSIDE);
	} else {
		record_strand_else(worker, kind, b);
	}
}

/* The thread's state after an event of that kind that does not begin its strand for good. */
static inline enum worker_state record_left(enum wire_kind kind, enum worker_state was)
{
	return kind_begins(kind) || kind_ends(kind) ? WORKER_OUTSIDE : was;
}

/*
 * Hot path: the time when the running strand ends, for events that are made of it with
 * record_event_at().
 */
static inline uint64_t record_ticks(struct worker *worker)
{
	if (__builtin_expect(worker_state(worker) >= WORKER_OUTSIDE, 1))
		worker_turn(worker, WORKER_OUTSIDE);
	atomic_signal_fence(memory_order_acq_rel);
	return worker_ticks(worker);
}

/*
 * Hot path: a timed event of a time that was read before.  A strand that begins so is over when
 * it begins: one that ends it follows.
 */
static inline void record_event_at(struct worker *worker, uint64_t ticks, enum wire_kind kind,
				   uint64_t b)
{
	enum worker_state was = worker_enter(worker);

	if (__builtin_expect(was < WORKER_OUTSIDE, 0))
		return;
	record_put(worker, kind, event_at(ticks, kind), b, record_left(kind, was));
}

/* Hot path: a timed event; its time is that of the call. */
static inline void record_event(struct worker *worker, enum wire_kind kind, uint64_t b)
{
	enum worker_state was = worker_enter(worker);

	if (__builtin_expect(was < WORKER_OUTSIDE, 0))
		return;
	record_put_now(worker, kind, b, record_left(kind, was));
}

/* Hot path: a timed event that begins a strand: the clock is read last. */
static inline void record_strand(struct worker *worker, enum wire_kind kind, uint64_t b)
{
	if (__builtin_expect(worker_enter(worker) >= WORKER_OUTSIDE, 1))
		record_put_strand(worker, kind, b);
}

/*
 * Hot path: a timed event that begins a strand at the time when the last one ended; `limit` is
 * worker->limit from then.  If it has changed, the recorder took its time: the clock is read again.
 */
static inline void record_strand_at(struct worker *worker, uint64_t ticks, uint64_t limit,
				    enum wire_kind kind, uint64_t b)
{
	struct wire_event *event;

	if (__builtin_expect(worker_enter(worker) < WORKER_OUTSIDE, 0))
		return;
	event = worker_claim(worker, kind, b, NULL);
	if (event) {
		event->b = b;
		if (__builtin_expect(worker_limit(worker) != limit, 0))
			ticks = worker_ticks(worker);
		event->a = event_at(ticks, kind);
		worker_commit(worker);
	}
	worker_turn(worker, WORKER_INSIDE);
}

/* Hot path: an untimed event, which says more about the event or task before. */
static inline void record_detail(struct worker *worker, enum wire_kind kind, uint64_t b)
{
	enum worker_state was = worker_enter(worker);

	if (__builtin_expect(was < WORKER_OUTSIDE, 0))
		return;
	record_put(worker, kind, kind, b, was);
}
