/* SPDX-License-Identifier: MIT */
/*
 * worker.h - one OS thread that runs tasks, and its events to the collector.
 *
 * One producer: the thread whose worker_self() this is.  One consumer: the collector.  Events lie
 * in chunks (collector/session/chunk.h); `head` counts them and never wraps.  `limit` is where the
 * producer must look up from its work (worker_life.h): at the end of its chunk.  Whoever stops the
 * recording sets `limit` to 0, so that all workers look up at their next event.
 *
 * A signal handler on the thread finds in `state` whether it interrupts the program's code, the
 * runtime or the recorder.  Only in the first case do calls of the runtime end a strand; in the
 * last one nothing is recorded at all.  What is refused so is counted (session.h).  The state is
 * changed before the clock is read when a strand ends, and last of all when one begins.  A handler
 * that never returns to what it interrupted, by siglongjmp(), leaves the state as it was: the
 * thread records no more then, and counts that.
 */
#pragma once

#include "collector/session/clock.h"
#include "collector/session/chunk.h"
#include "collector/session/processor.h"

/* This thread's worker; NULL before worker_attach().  Kept in initial-exec TLS. */
extern __thread struct worker *worker_tls EXPORT_AS(worker)
	__attribute__((tls_model("initial-exec")));

/*
 * Gives this thread a worker, starting the session if need be.  NULL when nothing is recorded
 * (disabled, failed, closed): then the caller calls the runtime and does no more.  So, too, when
 * it has one whose state forbids what is asked for, which is counted.
 */
struct worker *worker_attach(void) EXPORT_AS(worker_attach);

/*
 * Hot path: this thread's worker.  To be called again after anything that may return on another
 * thread; the empty asm makes the compiler really read it again (shared TLS addresses are else
 * taken for constants, STYLE 6).
 */
static inline struct worker *worker_self(void)
{
	struct worker *worker = worker_tls;

	__asm__ volatile("" : "+r"(worker));
	return worker;
}

static inline enum worker_state worker_state(const struct worker *worker)
{
	return (enum worker_state)worker->state;
}

/* Hot path: a plain store; what was stored before it is there, as a handler sees it. */
static inline void worker_turn(struct worker *worker, enum worker_state state)
{
	atomic_signal_fence(memory_order_release);
	worker->state = state;
}

static inline uint64_t worker_limit(const struct worker *worker)
{
	return atomic_load_explicit(&worker->limit, memory_order_relaxed);
}

/* What clock_ticks_by() says, unless a probe rules time (probe.h). */
uint64_t worker_ticks_by(const struct clock *clock) EXPORT_AS(worker_ticks_by);

/* Hot path: ticks on the session's clock. */
static inline uint64_t worker_ticks(const struct worker *worker)
{
	return __builtin_expect(worker->slow_clock != NULL, 0) ? worker_ticks_by(worker->slow_clock)
							       : clock_ticks();
}

/*
 * How an event is stored: enter, fill, leave.  What worker_enter() returns is what the other two
 * take; where it has no slot, record_slow() (record_event.h) stores the whole event.
 *
 *	struct store store = worker_enter(worker, WORKER_OUTSIDE, 1);
 *
 *	if (!store.slot) {
 *		record_slow(worker, (struct wire_event){ WIRE_YIELD, site }, NO_EVENT);
 *		return;
 *	}
 *	worker_fill_now(store.slot, WIRE_YIELD, site);
 *	worker_leave(worker, store, WORKER_OUTSIDE);
 *
 * A signal handler in between finds WORKER_STORING and stores nothing.
 */
struct store {
	struct wire_event *slot; /* the first of n, side by side; NULL: nothing has changed */
	unsigned n;
	enum worker_state was;
};
#define NO_STORE ((struct store){ 0 })
#define SLOTS_AHEAD 32 /* takes longer to fill than a line to come (processor_will_store) */

/*
 * Hot path: slots for n events of a thread whose state is `least` or higher.  None where it is
 * lower, the chunk ends, or the clock is not the counter alone: so that a caller keeps nothing
 * across a call.
 */
static inline struct store worker_enter(struct worker *worker, enum worker_state least, unsigned n)
{
	struct store store = { .n = n, .was = (enum worker_state)worker->state };
	uint64_t head;

	if (__builtin_expect(store.was < least || worker->slow_clock, 0))
		return store;
	if (least == WORKER_INSIDE)
		store.was = WORKER_INSIDE; /* there is none higher */
	worker->state = WORKER_STORING;
	atomic_signal_fence(memory_order_acq_rel); /* what follows is done then */
	head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	if (__builtin_expect(head + n - 1 >= worker_limit(worker), 0)) {
		worker_turn(worker, store.was);
		return store;
	}
	store.slot = &worker->slot[head];
	processor_will_store(store.slot + SLOTS_AHEAD);
	if (!store.slot)
		__builtin_unreachable(); /* saves the caller a look */
	return store;
}

/* Hot path: a is the event's kind, and its time << 8 if it is timed. */
static inline void worker_fill(struct wire_event *slot, uint64_t a, uint64_t b)
{
	slot->a = a;
	slot->b = b;
}

/* Hot path: a timed event; its time is now. */
static inline void worker_fill_now(struct wire_event *slot, enum wire_kind kind, uint64_t b)
{
	slot->a = clock_ticks_shifted(8, kind);
	slot->b = b;
}

/* Hot path: hands over what was filled (acquire in chunk_find()): at no instant only a part. */
static inline void worker_leave(struct worker *worker, struct store store, enum worker_state state)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);

	atomic_store_explicit(&worker->head, head + store.n, memory_order_release);
	atomic_signal_fence(memory_order_release); /* a handler sees the state after the event */
	worker->state = state;
}
