/* SPDX-License-Identifier: MIT */
/*
 * ring.h - the memory of a worker: pages of its own, its ring of events, the collector's line.
 *
 * head and tail count events since the start and never wrap.  Always tail <= head <= tail +
 * n_slots; the consumer owns slots tail..head-1.  Who produces and who consumes: worker.h.
 *
 * A ring takes memory only as it needs it.  It begins as the first part of its place and doubles
 * where bit n of the numbers tail .. head - 1 is 0, n being its slots: then the events that the
 * consumer owns lie in the same slots by both masks.  That is so at the latest where head is an odd
 * multiple of n.  The mask is stored before the next event is committed; a consumer that reads head
 * and then mask finds all events up to head by it.
 *
 * The first pages of a worker are not shared with the collector, and the kernel makes them zero in
 * a forked child.  So a child whom nobody told (a bare system call) finds WORKER_STRANGE there,
 * keeps its hands off the rings, and what its frames still write of their tasks is its own.  A
 * kernel before 4.14 has no such pages: then that child writes into its parent's rings.
 *
 * Where events are thinned (preload/thin.h) the producer writes to a small ring of its own,
 * `fresh`, which lies behind the other, and from there hands over what is left of them (handed.h).
 * Then head and mask are those of `fresh`.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "collector/trace/wire.h"
#include "collector/session/cpu.h"

/* Events that this worker dropped for one reason, since it told of it last. */
struct worker_gap {
	_Atomic uint64_t n, since; /* since: ticks */
};

/* Bits of `task` that a shim keeps for itself; while the lowest is set, none of its strands runs.
 */
#define WORKER_TASK_BITS (UINT64_C(15) << 44)
#define WORKER_TASK_CLOSED (UINT64_C(1) << 44)

/* Where the worker's thread is. */
enum worker_state {
	WORKER_STRANGE, /* a process that this is not the worker of */
	WORKER_STORING, /* the recorder */
	WORKER_OUTSIDE, /* the runtime, or no task */
	WORKER_INSIDE,	/* the code of `task`: a strand runs */
};

#if defined(__x86_64__)
#define WORKER_PAGE 8192u
#else
#define WORKER_PAGE 65536u /* the largest page that there is */
#endif

#define WORKER_SHIM_BYTES 6144u /* what the OpenMP shim keeps of a thread, which is the most */

struct probed;

/* What a worker made: events, and tasks by them; both also of what was collapsed or dropped since.
 */
struct worker_made {
	uint64_t events, tasks;
};

struct worker {
	/* the producer's, and nobody else's: zero in a forked child */
	union {
		struct {
			/* the OpenMP shim's own; and a load waits for a store that is 4 KiB
			 * before it, as it seems the same: so the words behind are in the page
			 * where none of the next page's are */
			_Alignas(64) char shim[WORKER_SHIM_BYTES];
			uint32_t state; /* enum worker_state: of one thread and its signal handlers
					 */
			uint32_t index;
			uint64_t task;		 /* id of the task that runs on this thread, or 0 */
			uint64_t n_ids;		 /* ids given out */
			struct wire_event *slot; /* behind this struct: where events are made */
			const struct clock *slow_clock; /* NULL: the counter as it is */
			/* off the hot path */
			struct probed *probed; /* NULL: no probe watches it (preload/probe.h) */
			bool has_gap;	       /* any of them is not told yet */
			uint64_t open_ticks; /* when the strand began that runs now; 0: none of
					      * those dropped */
			enum wire_loss newest_gap; /* of those that there are */
			uint64_t not_before; /* ticks: no later event is earlier (a probe); 0 */
			uint64_t root;	     /* the last id of record_root() here */
			uint64_t n_most;     /* slots that the ring may grow to; a power of two */
			uint64_t looked_at, looked_ns; /* head, when is_small() measured last */
			struct thin *thin; /* what thinning takes; NULL: it has not begun */
			uint64_t thin_at;  /* number of an event of `fresh`, before base, .. */
			uint64_t thin_ids; /* .. and how many ids were given out before it */
		};
		char own_page[WORKER_PAGE];
	};

	/* the producer's line; the collector reads head only */
	_Alignas(64) _Atomic uint64_t head; /* events committed */
	_Atomic uint64_t limit;		    /* look up when head gets here */
	uint64_t mask;			    /* of slot[]: its slots - 1 */

	/* what the collector has to know besides */
	_Alignas(64) _Atomic uint64_t handed; /* to the ring, of those in `fresh` (handed_..) */
	uint64_t ring_mask;		      /* n_slots - 1, n_slots a power of two; it grows */
	uint64_t kept_from; /* the tail when it grew: events before lie anywhere */
	uint32_t thins;	    /* events are made in `fresh`; 0: in the ring */

	/* the producer's, off the hot path */
	_Alignas(64) struct worker_gap gap[WIRE_LOSS_OLD]; /* by enum wire_loss */
	_Atomic uint64_t lost; /* dropped in all, but for those that were not to be recorded; .. */
	_Atomic uint64_t lost_tasks; /* .. and tasks that those would have made */
	_Atomic uint64_t waited_ns;  /* for the collector to take what fills the ring */
	_Atomic uint32_t in_use;     /* has a thread; taken by compare-and-swap */
	_Alignas(64) struct worker_cpu cpu;

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
		uint64_t n_dropped;	 /* events that those of the blocks say are lost */
		struct worker_made made; /* by the worker until there */
		uint32_t n_blocks;
	} taken[2];

	/* how it stood where slots were given back before their block was written, the last two
	 * times: the half whose `slots` is the tail holds (heir.c) */
	struct worker_taken released[2];
	uint64_t n_past; /* events for which the file had no room */
	struct worker_sampled sampled;
};

#define FRESH_SLOTS 8192u /* a power of two */

/* Says by which version of these structs and the session's memory was made. */
#define SESSION_LAYOUT                                                                             \
	((uint32_t)(((sizeof(struct session) + offsetof(struct session, mark_room)) * 31 +         \
		     offsetof(struct session, wake)) *                                             \
			    31 +                                                                   \
		    sizeof(struct worker) + FRESH_SLOTS) *                                         \
		 31 +                                                                              \
	 WIRE_VERSION)

/* Where the slots are, in whatever process. */
static inline struct wire_event *worker_slots(struct worker *worker)
{
	return (struct wire_event *)(worker + 1);
}

/* The same of what is fresh; n_slots is the most that the ring may have. */
static inline struct wire_event *worker_fresh(struct worker *worker, uint64_t n_slots)
{
	return worker_slots(worker) + n_slots;
}

/* Bytes of a worker with n_slots slots (a power of two), but for what is fresh. */
static inline size_t worker_bytes(uint64_t n_slots)
{
	return sizeof(struct worker) + n_slots * sizeof(struct wire_event);
}

/* Bytes of its place in the session's memory; n_slots is the most that the ring may have. */
static inline size_t worker_place(uint64_t n_slots)
{
	return worker_bytes(n_slots) + FRESH_SLOTS * sizeof(struct wire_event);
}

/* Slots that the ring has now.  The consumer reads worker_given() before. */
static inline uint64_t worker_n_slots(const struct worker *worker)
{
	return __atomic_load_n(&worker->ring_mask, __ATOMIC_RELAXED) + 1;
}

/* Events before this one cannot be found in the ring, whether or not they were overwritten. */
static inline uint64_t worker_kept_from(const struct worker *worker)
{
	return __atomic_load_n(&worker->kept_from, __ATOMIC_RELAXED);
}
