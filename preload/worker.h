/* SPDX-License-Identifier: MIT */
/*
 * worker.h - one OS thread that runs tasks, and its ring of events to the collector.
 *
 * One producer: the thread whose worker_self() this is.  One consumer: the collector.  head and
 * tail count events since the start and never wrap.  Always tail <= head <= tail + n_slots; the
 * consumer owns slots tail..head-1.  `limit` is where the producer must look up from its work:
 * at half a ring it wakes the collector, at a full one it waits for it, timed as the tracer's
 * own (TPTRACE_OVERFLOW=flush), or it drops and counts (drop).  For a collector that stands still
 * it waits no longer than WATCH_PATIENCE_NS, then it drops; in the place of one that died the first
 * worker that looks up puts another.  Whoever stops the recording sets `limit` to 0, so that all
 * workers look up at their next event.
 *
 * While events are dropped the shims go on, and ids are given out.  A gap is told in the stream
 * once an event fits again that can stand first: one that begins a strand, or ends one of a task
 * that is known.  Details of what was dropped are dropped, too.
 *
 * When the thread exits its slot is free for a later thread, which goes on in the same ring.
 * Worker memory is never unmapped while the process runs: a detached thread may still write.
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
#include "collector/session/ring.h"

/* This thread's worker; NULL before worker_attach().  Kept in initial-exec TLS. */
extern __thread struct worker *worker_tls EXPORT_AS(worker)
	__attribute__((tls_model("initial-exec")));

/*
 * Gives this thread a worker, starting the session if need be.  NULL when nothing is recorded
 * (disabled, failed, closed): then the caller calls the runtime and does no more.  So, too, when
 * it has one whose state forbids what is asked for, which is counted.
 */
struct worker *worker_attach(void) EXPORT_AS(worker_attach);

/* Makes room for an event with that operand: waits, or drops it and returns false.  Only when
 * head >= limit. */
bool worker_make_room(struct worker *worker, enum wire_kind kind, uint64_t b)
	EXPORT_AS(worker_make_room);

/* Frees the worker's slot for another thread. */
void worker_detach(struct worker *worker);

/* Whether a strand runs on the worker, by its last events; of one's own worker, off the hot path.
 */
bool worker_runs(const struct worker *worker);

/* Makes a worker of zeroed memory of that size, whose first pages are this process's. */
struct worker *worker_make(void *memory, uint32_t index, uint64_t n_slots,
			   const struct clock *slow_clock);
/* A ring without events begins with so many slots (a power of two), and grows as it fills. */
void worker_begin_small(struct worker *worker, uint64_t n_slots);
/* A ring without events: they are thinned before they go there (thin.h). */
void worker_begin_thin(struct worker *worker);
/* Maps a worker's memory for this process alone; NULL if that fails. */
struct worker *worker_map(uint32_t index, uint64_t n_slots, const struct clock *slow_clock);
void worker_unmap(struct worker *worker);

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

/*
 * Hot path: begins an event, before the clock is read; the state it was in.  Less than
 * WORKER_OUTSIDE: there is to be no event.
 */
static inline enum worker_state worker_enter(struct worker *worker)
{
	enum worker_state was = worker_state(worker);

	if (__builtin_expect(was >= WORKER_OUTSIDE, 1))
		worker->state = WORKER_STORING;
	atomic_signal_fence(memory_order_acq_rel); /* what follows is done then */
	return was;
}

/*
 * Hot path: the next slot, to be filled in place by an event of that kind and operand; NULL when it
 * is dropped.  *at, if not NULL, is the word `a` as its clock was read before: if making room took
 * a time that is the strand's, it is later then.  Between worker_enter() and worker_turn().
 */
static inline struct wire_event *worker_claim(struct worker *worker, enum wire_kind kind,
					      uint64_t b, uint64_t *at)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	struct wire_event *event;

	if (__builtin_expect(head >= worker_limit(worker), 0)) {
		if (!worker_make_room(worker, kind, b))
			return NULL;
		head = atomic_load_explicit(&worker->head, memory_order_relaxed);
		if (at && kind_timed(kind) && *at < event_at(worker->not_before, kind))
			*at = event_at(worker->not_before, kind);
	}
	event = &worker->slot[head & worker->mask];
	if (!event)
		__builtin_unreachable(); /* saves the caller a look */
	return event;
}

/* Hot path: hands the claimed slot to the collector (acquire in stream_untaken()). */
static inline void worker_commit(struct worker *worker)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);

	atomic_store_explicit(&worker->head, head + 1, memory_order_release);
}

/* Hot path: whether the next n events have slots; `head` is the first one's number. */
static inline bool worker_has_slots(const struct worker *worker, uint64_t *head, unsigned n)
{
	*head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	return __builtin_expect(*head + n - 1 < worker_limit(worker), 1);
}

/* Hot path: after that: fills a slot. */
static inline void worker_fill(struct worker *worker, uint64_t at, uint64_t a, uint64_t b)
{
	struct wire_event *event = &worker->slot[at & worker->mask];

	event->a = a;
	event->b = b;
}

/* Hot path: hands over all before `head` (acquire in stream_untaken()): at no instant only a part
 * of what one call of the recorder stores. */
static inline void worker_commit_to(struct worker *worker, uint64_t head)
{
	atomic_store_explicit(&worker->head, head, memory_order_release);
}

/* Hot path: whether the session's clock is the counter alone. */
static inline bool worker_counts_ticks(const struct worker *worker)
{
	return __builtin_expect(worker->slow_clock == NULL, 1);
}

/* What clock_ticks_by() says, unless a probe rules time (probe.h). */
uint64_t worker_ticks_by(const struct clock *clock) EXPORT_AS(worker_ticks_by);

/* Hot path: ticks on the session's clock. */
static inline uint64_t worker_ticks(const struct worker *worker)
{
	return __builtin_expect(worker->slow_clock != NULL, 0)
		       ? worker_ticks_by(worker->slow_clock)
		       : clock_ticks();
}
