/* SPDX-License-Identifier: MIT */
/*
 * record_event.h - one event, of whatever kind: enter, fill, leave (worker.h), or record_slow().
 *
 * For record.h, which says what events tell of tasks, and for shims that read the clock before they
 * know what happened.
 */
#pragma once

#include "preload/worker.h"

typedef uint64_t record_id; /* of a task or a group; 0 is none */

/*
 * Makes and begins a task that nothing created, for a thread that is in none yet.  Unless that is
 * the main thread, it follows the last signal of its pthread_t: whoever made it gave one.
 */
void record_root(struct worker *worker) EXPORT_AS(record_root) __attribute__((cold));

/*
 * Stores an event, and then another (NO_EVENT: none), for which worker_enter() had no slot: waits
 * for one, or drops the event.  A timed event with the time 0 gets its time here: before there is a
 * slot, or after, if it begins a strand.  MEMBER and START take the worker's next id, and the
 * thread is in that task then; the operand of END is the task below, which it is in then.
 */
void record_slow(struct worker *worker, struct wire_event event, struct wire_event then)
	EXPORT_AS(record_slow) __attribute__((cold));
#define NO_EVENT ((struct wire_event){ 0, 0 })

/* Hot path: this thread's worker, or NULL if nothing is recorded: for what the runtime calls. */
static inline struct worker *record_worker(void)
{
	struct worker *worker = worker_self();

	return __builtin_expect(worker && worker_state(worker) >= WORKER_OUTSIDE, 1)
		       ? worker
		       : worker_attach();
}

/*
 * Hot path: likewise, for what only the program calls, from a task or from none.  A signal handler
 * that interrupts the runtime gets NULL.
 */
static inline struct worker *record_worker_inside(void)
{
	struct worker *worker = worker_self();

	return __builtin_expect(worker && worker_state(worker) == WORKER_INSIDE, 1)
		       ? worker
		       : worker_attach();
}

/* Hot path: the next id of this worker. */
static inline record_id record_next_id(struct worker *worker)
{
	return ++worker->last_id;
}

/* The thread's state after an event of that kind. */
static inline enum worker_state record_state(enum wire_kind kind, enum worker_state was)
{
	return kind_begins(kind) ? WORKER_INSIDE : kind_ends(kind) ? WORKER_OUTSIDE : was;
}

/* Hot path: a timed event; its time is that of the call. */
static inline void record_event(struct worker *worker, enum wire_kind kind, uint64_t b)
{
	struct store store = worker_enter(worker, WORKER_OUTSIDE, 1);

	if (!store.slot) {
		record_slow(worker, (struct wire_event){ kind, b }, NO_EVENT);
		return;
	}
	worker_fill_now(store.slot, kind, b);
	worker_leave(worker, store, record_state(kind, store.was));
}

/* Hot path: a timed event, whose time is that of the call, and an untimed one. */
static inline void record_both(struct worker *worker, struct wire_event event,
			       struct wire_event then)
{
	struct store store = worker_enter(worker, WORKER_OUTSIDE, 2);
	enum wire_kind kind = (enum wire_kind)event.a;

	if (!store.slot) {
		record_slow(worker, event, then);
		return;
	}
	worker_fill(store.slot + 1, then.a, then.b);
	worker_fill_now(store.slot, kind, event.b);
	worker_leave(worker, store, record_state(kind, store.was));
}

/* Hot path: an event whose word `a` is known.  A strand that begins so is over when it begins: an
 * event that ends it follows. */
static inline void record_word(struct worker *worker, uint64_t a, uint64_t b)
{
	struct store store = worker_enter(worker, WORKER_OUTSIDE, 1);
	enum wire_kind kind = (enum wire_kind)(a & 0xff);

	if (!store.slot) {
		record_slow(worker, (struct wire_event){ a, b }, NO_EVENT);
		return;
	}
	worker_fill(store.slot, a, b);
	worker_leave(worker, store,
		     kind_begins(kind) ? WORKER_OUTSIDE : record_state(kind, store.was));
}

/* Hot path: an untimed event, which says more about the event or task before. */
static inline void record_detail(struct worker *worker, enum wire_kind kind, uint64_t b)
{
	record_word(worker, kind, b);
}

/* Hot path: the time when the running strand ends, for events of it by record_event_at(). */
static inline uint64_t record_ticks(struct worker *worker)
{
	if (__builtin_expect(worker_state(worker) >= WORKER_OUTSIDE, 1))
		worker_turn(worker, WORKER_OUTSIDE);
	atomic_signal_fence(memory_order_acq_rel);
	return worker_ticks(worker);
}

/* Hot path: a timed event of that time. */
static inline void record_event_at(struct worker *worker, uint64_t ticks, enum wire_kind kind,
				   uint64_t b)
{
	record_word(worker, event_at(ticks, kind), b);
}

/*
 * Hot path: a timed event that begins a strand at the time when the last one ended; `limit` is
 * worker->limit from then.  If it has changed, or changes now, the recorder took its time: the
 * clock is read again.
 */
static inline void record_strand_at(struct worker *worker, uint64_t ticks, uint64_t limit,
				    enum wire_kind kind, uint64_t b)
{
	struct store store = worker_enter(worker, WORKER_OUTSIDE, 1);

	if (!store.slot) {
		record_slow(worker, (struct wire_event){ kind, b }, NO_EVENT);
		return;
	}
	if (__builtin_expect(worker_limit(worker) != limit, 0))
		ticks = clock_ticks();
	worker_fill(store.slot, event_at(ticks, kind), b);
	worker_leave(worker, store, WORKER_INSIDE);
}
