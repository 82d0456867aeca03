/* SPDX-License-Identifier: MIT */
/*
 * ring.h - the memory of a worker: pages of its own, its line and the collector's.  Its chunks of
 * events follow (place.h).
 *
 * Who makes events and who takes them: preload/worker.h.
 *
 * The first pages of a worker are not shared with the collector, and the kernel makes them zero in
 * a forked child.  So a child whom nobody told (a bare system call) finds WORKER_STRANGE there,
 * keeps its hands off the chunks, and what its frames still write of their tasks is its own.  A
 * kernel before 4.14 has no such pages: then that child writes into its parent's chunks.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "collector/trace/wire.h"
#include "collector/session/cpu.h"
#include "collector/session/processor.h"

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

#define WORKER_PAGE PROCESSOR_PAGE

#define WORKER_SHIM_BYTES 6144u /* what the OpenMP shim keeps of a thread, which is the most */
/* Shims that keep a line of each thread, and its bytes (shims/common/pool.h) */
#define WORKER_PLACES 6u
#define WORKER_PLACE_BYTES 64u

struct probed;
struct thinner;

/* How a worker's stream stands before one of its events. */
struct checkpoint {
	uint64_t number; /* of that event: so many were made, also of what was collapsed since */
	uint64_t last_units; /* of the last timed event before; 0: there is none */
	uint64_t n_ids;	     /* given out before */
	uint64_t running;    /* the task whose strand runs there; 0: none, or not known */
	uint64_t n_dropped;  /* events that those before say are lost */
	uint64_t n_tasks;    /* made before */
	uint32_t n_blocks;   /* in which those before are; of `written` */
};

/* Of each worker at most. */
struct chunk_sizes {
	uint32_t n, slots;     /* chunks, and slots of each */
	uint32_t sample_bytes; /* behind them (sample_place.h); 0: nothing */
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
			uint64_t last_id;	 /* given out; id_n(): how many were */
			struct wire_event *slot; /* slot[head] is for the next event; in `chunk` */
			const struct clock *slow_clock; /* NULL: the counter as it is */
			/* off the hot path */
			struct probed *probed; /* NULL: no probe watches it (preload/probe.h) */
			bool has_gap;	       /* any of them is not told yet */
			uint64_t open_ticks;   /* when the strand began that runs now; 0: none of
						* those dropped */
			enum wire_loss newest_gap; /* of those that there are */
			uint64_t not_before;  /* ticks: no later event is earlier (a probe); 0 */
			uint64_t root;	      /* the last id of record_root() here */
			uint64_t chunk_limit; /* events from here on are for another chunk */
			uint64_t chunk_ids;   /* ids given out before what no pass has
					       * seen of `chunk` */
			uint32_t chunk;	      /* in which events are made */
			uint32_t chunk_slots; /* that it uses of each */
			struct chunk_sizes sizes;
			uint32_t n_most;	 /* chunks that it may have */
			bool ran;		 /* whether a strand ran where `chunk` was begun */
			struct thinner *thinner; /* the pass's memory; NULL: it has not begun */
			bool thin_failed;	 /* there is none for it */
			_Alignas(64) char place[WORKER_PLACES][WORKER_PLACE_BYTES];
		};
		char own_page[WORKER_PAGE];
	};

	/* the producer's line; the collector reads head only */
	_Alignas(64) _Atomic uint64_t head; /* events committed: the number of the next one */
	_Atomic uint64_t limit;		    /* look up when head gets here */

	/* the producer's, off the hot path */
	_Alignas(64) struct worker_gap gap[WIRE_LOSS_OLD]; /* by enum wire_loss */
	_Atomic uint64_t lost; /* dropped in all, but for those that were not to be recorded; .. */
	_Atomic uint64_t lost_tasks; /* .. and tasks that those would have made */
	_Atomic uint64_t waited_ns;  /* for the collector to free a chunk */
	_Atomic uint32_t n_chunks;   /* that have memory; it grows */
	uint32_t thins;		     /* it replaces chunks by smaller ones (worker.c) */
	_Atomic uint32_t in_use;     /* has a thread; taken by compare-and-swap */
	_Alignas(64) struct worker_cpu cpu;

	/* the collector's line */
	_Alignas(64) _Atomic uint64_t tail; /* chunks that end here or before were released */
	_Atomic uint32_t releases;	    /* futex: bumped after a chunk was */
	_Atomic uint32_t waiting;	    /* the producer sleeps on releases */

	/* the collector's own: what goes on from one block of its trace to the next.  written[n &
	 * 1] is how it stands with n blocks, so that after a kill one of the two is right */
	_Alignas(64) struct checkpoint written[2];
	/* likewise with what a collector outside has copied: one of the two is where that ends */
	struct checkpoint reached[2];
	uint64_t n_past; /* events for which the file had no room */
	struct worker_sampled sampled;
};
