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
 * A ring takes memory only as it needs it.  It begins as the first part of its place and doubles
 * where bit n of the numbers tail .. head - 1 is 0, n being its slots: then the events that the
 * consumer owns lie in the same slots by both masks.  That is so at the latest where head is an odd
 * multiple of n.  The mask is stored before the next event is committed; a consumer that reads head
 * and then mask finds all events up to head by it.
 *
 * The first page of a worker is not shared with the collector, and the kernel makes it zero in a
 * forked child.  So a child whom nobody told (a bare system call) finds WORKER_STRANGE there, keeps
 * its hands off the rings, and what its frames still write of their tasks is its own.  A kernel
 * before 4.14 has no such pages: then that child writes into its parent's rings.
 *
 * A signal handler on the thread finds in `state` whether it interrupts the program's code, the
 * runtime or the recorder.  Only in the first case do calls of the runtime end a strand; in the
 * last one nothing is recorded at all.  What is refused so is counted (session.h).  The state is
 * changed before the clock is read when a strand ends, and last of all when one begins.  A handler
 * that never returns to what it interrupted, by siglongjmp(), leaves the state as it was: the
 * thread records no more then, and counts that.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "preload/clock.h"
#include "preload/wire.h"

/* Events that this worker dropped for one reason, since it told of it last. */
struct worker_gap {
	_Atomic uint64_t n, since; /* since: ticks */
};

/* Bits of `task` that a shim keeps for itself; while the lowest is set, none of its strands runs.
 */
#define WORKER_TASK_BITS (UINT64_C(15) << 44)
#define WORKER_TASK_CLOSED (UINT64_C(1) << 44)

/* What the worker's thread is in. */
enum worker_state {
	WORKER_STRANGE, /* a process that this is not the worker of */
	WORKER_STORING, /* the recorder */
	WORKER_OUTSIDE, /* the runtime, or no task */
	WORKER_INSIDE,	/* the code of `task`: a strand runs */
};

#if defined(__x86_64__)
#define WORKER_PAGE 4096u
#else
#define WORKER_PAGE 65536u /* the largest page that there is */
#endif

struct worker {
	/* the producer's, and nobody else's: zero in a forked child */
	union {
		struct {
			/* a load waits for a store that is 4 KiB before it, as it seems the same:
			 * so these words are in the page where none of the next page's are */
			_Alignas(64) char apart[2048];
			uint32_t state; /* enum worker_state: of one thread and its signal handlers
					 */
			uint32_t index;
			uint64_t task;		 /* id of the task that runs on this thread, or 0 */
			uint64_t n_ids;		 /* ids given out */
			struct wire_event *slot; /* behind this struct */
			bool slow_clock;	 /* CLOCK_SOURCE_MONOTONIC */
			/* off the hot path */
			bool has_gap;	     /* any of them is not told yet */
			uint64_t open_ticks; /* when the strand began that runs now; 0: none of
					      * those dropped */
			enum wire_loss newest_gap; /* of those that there are */
			uint64_t root;		   /* the last id of record_root() here */
			uint64_t n_most;   /* slots that the ring may grow to; a power of two */
			uint64_t looked_at, looked_ns; /* head, when is_small() measured last */
		};
		char own_page[WORKER_PAGE];
	};

	/* the producer's line; the collector reads head only */
	_Alignas(64) _Atomic uint64_t head; /* events committed */
	_Atomic uint64_t limit;		    /* look up when head gets here */
	uint64_t mask;			    /* n_slots - 1, n_slots a power of two; it grows */
	uint64_t kept_from; /* the tail when it grew: events before lie anywhere */

	/* the producer's, off the hot path */
	_Alignas(64) struct worker_gap gap[WIRE_LOSS_OLD]; /* by enum wire_loss */
	_Atomic uint64_t lost;	 /* dropped in all, but for those that were not to be recorded */
	_Atomic uint32_t in_use; /* has a thread; taken by compare-and-swap */

	/* the collector's line; the producer reads tail only */
	_Alignas(64) _Atomic uint64_t tail; /* events taken */
	_Atomic uint32_t tail_moves;	    /* futex: bumped after tail */
	_Atomic uint32_t waiting;	    /* the producer sleeps on tail_moves */

	/* the collector's own: what goes on from one block of its trace to the next.  taken[n & 1]
	 * is how it stands with n blocks, so that after a kill one of the two is right */
	_Alignas(64) struct worker_taken {
		uint64_t slots; /* events that the blocks hold */
		uint64_t last_units, n_ids;
		uint64_t running; /* the task whose strand runs at their end; 0: none, or not known
				   */
		uint64_t n_dropped; /* events that those of the blocks say are lost */
		uint32_t n_blocks;
	} taken[2];

	/* how it stood where slots were given back before their block was written, the last two
	 * times: the half whose `slots` is the tail holds (heir.c) */
	struct worker_taken released[2];
	uint64_t n_past; /* events for which the file had no room */
};

/* This thread's worker; NULL before worker_attach().  Kept in initial-exec TLS. */
extern __thread struct worker *worker_tls EXPORT_AS(worker)
	__attribute__((tls_model("initial-exec")));

/* Says by which version of these structs and the session's memory was made. */
#define SESSION_LAYOUT                                                                             \
	((uint32_t)((sizeof(struct session) + offsetof(struct session, mark_room)) * 31 +          \
		    sizeof(struct worker)) *                                                       \
		 31 +                                                                              \
	 WIRE_VERSION)

/* Where the slots are, in whatever process. */
static inline struct wire_event *worker_slots(struct worker *worker)
{
	return (struct wire_event *)(worker + 1);
}

/*
 * Gives this thread a worker, starting the session if need be.  NULL when nothing is recorded
 * (disabled, failed, closed): then the caller calls the runtime and does no more.  So, too, when
 * it has one whose state forbids what is asked for, which is counted.
 */
struct worker *worker_attach(void) EXPORT_AS(worker_attach);

/* Makes room for an event: waits, or drops it and returns false.  Only when head >= limit. */
bool worker_make_room(struct worker *worker, enum wire_kind kind) EXPORT_AS(worker_make_room);

/* Frees the worker's slot for another thread. */
void worker_detach(struct worker *worker);

/* Whether a strand runs on the worker, by its last events; of one's own worker, off the hot path.
 */
bool worker_runs(const struct worker *worker);

/* Bytes of a worker with n_slots slots (a power of two). */
static inline size_t worker_bytes(uint64_t n_slots)
{
	return sizeof(struct worker) + n_slots * sizeof(struct wire_event);
}

/* Slots that the ring has now.  The consumer reads head before. */
static inline uint64_t worker_n_slots(const struct worker *worker)
{
	return __atomic_load_n(&worker->mask, __ATOMIC_RELAXED) + 1;
}

/* Events before this one cannot be found in the ring, whether or not they were overwritten. */
static inline uint64_t worker_kept_from(const struct worker *worker)
{
	return __atomic_load_n(&worker->kept_from, __ATOMIC_RELAXED);
}

/* Makes a worker of zeroed memory of that size, whose first page is this process's. */
struct worker *worker_make(void *memory, uint32_t index, uint64_t n_slots, bool slow_clock);
/* A ring without events begins with so many slots (a power of two), and grows as it fills. */
void worker_begin_small(struct worker *worker, uint64_t n_slots);
/* Maps a worker's memory for this process alone; NULL if that fails. */
struct worker *worker_map(uint32_t index, uint64_t n_slots, bool slow_clock);
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

/* Hot path: the next slot, to be filled in place by an event of that kind; NULL when it is dropped.
 * Between worker_enter() and worker_turn(). */
static inline struct wire_event *worker_claim(struct worker *worker, enum wire_kind kind)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	struct wire_event *event;

	if (__builtin_expect(head >= worker_limit(worker), 0)) {
		if (!worker_make_room(worker, kind))
			return NULL;
		head = atomic_load_explicit(&worker->head, memory_order_relaxed);
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

/* Hot path: ticks on the session's clock. */
static inline uint64_t worker_ticks(const struct worker *worker)
{
	return __builtin_expect(worker->slow_clock, 0) ? clock_monotonic_ns() : clock_ticks();
}
