/* SPDX-License-Identifier: MIT */
/*
 * lane.h - the threads of one drain, which take the rings beside each other.
 *
 * Lane 0 is the thread that drains.  The others are started once there are workers for them, one
 * lane for LANE_WORKERS workers, and run only inside lanes_run(), while lane 0 does the same.  So
 * between two calls all of a drain belongs to its thread, and what it does then (definitions,
 * snapshots, ends) knows of one thread only.  Inside a call a lane owns all of struct lane and the
 * streams that it has claimed (stream.h), one after the other; what lanes share is the trace, under
 * lanes_lock().  No worker belongs to a lane: who has time takes the next ring, or one lane would
 * wait for the other whenever some workers are busier.
 *
 * Each lane collapses with its own tables.  A lane that cannot be started, for want of memory or
 * threads, has its workers taken by the others.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "collector/drain/pending.h"
#include "collector/trace/encode.h"

#define LANES_MAX 64u
#define LANE_WORKERS 16u
#define PENDING_SLOTS_ALL (256u << 10) /* 4 MiB; a buffer has at least PENDING_SLOTS_SHARED */

struct drain;

/* How a collector starts a thread and awaits its end; each 0 or an error. */
struct lane_threads {
	int (*start)(pthread_t *thread, void *(*run)(void *), void *arg);
	int (*join)(pthread_t thread, void **value);
};

struct lane {
	struct drain *drain;
	uint32_t index; /* in lanes.at */
	struct encoder *encoder;
	struct collapse *collapse; /* NULL: events go from the ring to the file as they are */
	struct pending_spare spare;
	uint64_t cpu_ns;  /* that its thread took in the work, or lane 0's for the drain */
	uint64_t n_tasks; /* that it put into the trace, collapsed ones as well */
	pthread_t thread; /* not of lane 0; .. */
	uint32_t turn;	  /* .. the last that it knows of */
};

typedef void lane_work(struct lane *lane, const void *arg);

struct lanes {
	struct lane *at[LANES_MAX]; /* n of them */
	uint32_t n, n_most;
	uint32_t pending_slots; /* of each pending buffer at most */
	struct lane_threads threads;
	uint64_t failed_ns; /* when none could be started last; 0: never */
	lane_work *work;
	const void *arg;
	_Atomic uint32_t turn; /* futex: bumped when there is work */
	_Atomic uint32_t busy; /* futex: threads, besides lane 0's, that are not done */
	_Atomic uint32_t
		first; /* lanes that have not done their part, if each is on its own thread */
	_Atomic uint32_t lock; /* futex.h */
	_Atomic bool ending;
};

/* Makes lane 0.  0 or -ENOMEM; then, too, lanes_close() frees it. */
int lanes_open(struct drain *drain, uint32_t pending_slots, bool collapses);

/* Up to n_most lanes are run by such threads from now on; before, there is one. */
void lanes_use(struct lanes *lanes, const struct lane_threads *threads, uint32_t n_most);

/* Starts those that so many workers want, or `wished` of them if that is not 0. */
void lanes_grow(struct drain *drain, uint32_t n_workers, uint32_t wished);

/* Does the work on all lanes; `apart`: each on its own thread, at the same time. */
void lanes_run(struct lanes *lanes, lane_work *work, const void *arg, bool apart);

/* In the work, once: this lane has done its part.  Then: whether others have not, so that it may do
 * more meanwhile. */
void lanes_done(struct lanes *lanes);
static inline bool lanes_linger(const struct lanes *lanes)
{
	return atomic_load_explicit(&lanes->first, memory_order_relaxed) != 0;
}

/* CPU time of the calling thread, whoever has a clock_gettime() of his own. */
uint64_t lane_cpu_ns(void);

void lanes_lock(struct lanes *lanes);
void lanes_unlock(struct lanes *lanes);

/* Before the lanes run: each worker's pending buffer gets its part of PENDING_SLOTS_ALL. */
void lanes_share(struct lanes *lanes, uint32_t n_workers);

/* Tasks that all lanes put into the trace. */
uint64_t lanes_tasks(const struct lanes *lanes);

/* Ends the threads and frees all; zeroed lanes are fine. */
void lanes_close(struct lanes *lanes);
