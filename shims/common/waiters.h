/* SPDX-License-Identifier: MIT */
/*
 * waiters.h - a task that waits and keeps its thread: its strand ends, and the thread blocks.
 *
 * Who releases an object asks whether a task waits for it, and only then ends a strand to say so.
 * Tasks are counted by the object's address, in a table of few places: where two objects share one,
 * a release may be told that nobody waits for.
 */
#pragma once

#include "shims/common/callsite.h"

#define WAITING_PLACES 1024u /* a power of two; a page */

/* Tasks that wait for the objects of each place.  The kernel makes them 0 in a forked child. */
extern _Atomic uint32_t waiting_tasks[] CALL_HIDDEN;

struct waiting {
	record_id task; /* 0: there is no wait */
	uint32_t place;
};

static inline uint32_t waiting_place(const void *object)
{
	return (uint32_t)((uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15) >> 54);
}

/* Hot path: whether a task may wait for the object. */
static inline bool waiting_for(const void *object)
{
	return atomic_load_explicit(&waiting_tasks[waiting_place(object)], memory_order_relaxed);
}

/* Hot path: the worker whose strand calls, or NULL: pass the call on. */
static inline struct worker *waiting_worker(void)
{
	struct worker *worker = worker_self();

	return __builtin_expect(worker && worker_state(worker) == WORKER_INSIDE, 0) ? worker : NULL;
}

/* The worker's task waits for the object from `ticks` on, the record_ticks() of before. */
struct waiting waiting_begin(struct worker *worker, uint64_t ticks, uint32_t site,
			     enum wire_wait wait, const void *object) CALL_HIDDEN;

static inline void waiting_uncount(uint32_t place)
{
	if (atomic_load(&waiting_tasks[place])) /* not in a child that was forked here */
		atomic_fetch_sub(&waiting_tasks[place], 1);
}

/* The wait is over, or its thread is cancelled: the task goes on. */
void waiting_end(struct waiting *waiting) CALL_HIDDEN;
#define WAITING __attribute__((cleanup(waiting_end), unused)) struct waiting

/* The worker's task is about to release the object; waiting_released() comes after, with that. */
static inline struct waiting waiting_release(struct worker *worker, const void *object)
{
	clock_fence();
	record_end_strand(worker, WIRE_SIGNAL, (uintptr_t)object);
	return (struct waiting){ .task = worker->task };
}

static inline void waiting_released(const struct waiting *waiting)
{
	if (waiting->task)
		record_resume(worker_self(), waiting->task);
}
