/* SPDX-License-Identifier: MIT */
/*
 * wrap.h - the wrapper of a function in which the calling task waits or lets others go on.
 *
 *	WRAP(rt, callsite_worker(callsite), stay_leave(worker), stay_return(&stay), int, rt_join,
 *	     (void *task), (task), wrap_wait_for, WIRE_WAIT_NAMED, (uintptr_t)task);
 *
 * is int rt_join(void *task).  It calls wrap_wait_for(worker, callsite, WIRE_WAIT_NAMED, task),
 * which ends the strand, then the real function of the runtime rt, and then the task goes on.
 * Three expressions say how a task is inside of that runtime:
 *
 *	on	the worker to record on; NULL: pass the call on, record nothing
 *	leave	the strand has ended: what the wrapper keeps as `stay`, a struct stay or more
 *	after	the call is back: the task goes on, by `stay`, `callsite`, what was `returned`
 *
 * After a call that takes a lock, which is held up to wrap_release(), the last one is
 * (clock_fence(), stay_return(&stay)).
 */
#pragma once

#include "shims/common/callsite.h"
#include "shims/common/stay.h"

#define WRAP(runtime, on, leave, after, result, name, parameters, arguments, before, ...)          \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(runtime, name, NULL);                         \
		struct worker *worker = on;                                                        \
                                                                                                   \
		if (!worker)                                                                       \
			return runtime##_of(callsite)->name arguments;                             \
		before(worker, callsite, ##__VA_ARGS__);                                           \
		__auto_type stay = leave;                                                          \
		RETURNED_##result runtime##_of(callsite)->name arguments;                          \
		after;                                                                             \
		return GIVEN_##result;                                                             \
	}                                                                                          \
	_Static_assert(1, "a semicolon follows")

/* What is kept of a result across `after`, and given then. */
#define RETURNED_void
#define GIVEN_void
#define RETURNED_int int returned =
#define GIVEN_int returned
#define RETURNED_uintptr_t uintptr_t returned =
#define GIVEN_uintptr_t returned

/* ---- what ends the strand ---- */

static inline void wrap_wait(struct worker *worker, const struct callsite *callsite,
			     enum wire_wait wait)
{
	record_wait(worker, callsite->site, wait);
}

/* `name` may be an address of the runtime's, or of the program's. */
static inline void wrap_wait_for(struct worker *worker, const struct callsite *callsite,
				 enum wire_wait wait, uint64_t name)
{
	record_wait_for(worker, callsite->site, wait, name);
}

static inline void wrap_signal(struct worker *worker, const struct callsite *callsite,
			       uint64_t name)
{
	(void)callsite;
	record_end_strand(worker, WIRE_SIGNAL, name);
}

/* Releases what a wrapper or wrap_held() took: what was loaded for the work in it is there. */
static inline void wrap_release(struct worker *worker, const struct callsite *callsite,
				uint64_t lock)
{
	clock_fence();
	wrap_signal(worker, callsite, lock);
}

/* Likewise, a mutex, and waits for a condition: the wait to get the mutex back is part of that. */
static inline void wrap_wait_cond(struct worker *worker, const struct callsite *callsite,
				  uint64_t cond, uint64_t mutex)
{
	wrap_release(worker, callsite, mutex);
	record_resume(worker, worker->task);
	record_wait_for(worker, callsite->site, WIRE_WAIT_COND, cond);
}

static inline void wrap_yield(struct worker *worker, const struct callsite *callsite)
{
	record_end_strand(worker, WIRE_YIELD, callsite->site);
}

/* ---- after the call ---- */

/* The task that runs has taken the lock, without a wait: a wait that is over as it begins. */
static inline void wrap_held(struct worker *worker, const struct callsite *callsite, uint64_t name)
{
	uint64_t ticks, limit;

	clock_fence();
	ticks = record_ticks(worker);
	limit = worker_limit(worker);
	record_event_at(worker, ticks, WIRE_WAIT, site_make(callsite->site, WIRE_WAIT_OBJECT));
	record_detail(worker, WIRE_OBJECT, name);
	record_strand_at(worker, ticks, limit, WIRE_RESUME, worker->task);
}

/* Likewise, once it goes on after a wait for a condition, which gave the mutex back to it. */
static inline void wrap_held_again(const struct callsite *callsite, uint64_t mutex)
{
	struct worker *worker = record_worker();

	if (worker)
		wrap_held(worker, callsite, mutex);
}

/* Before it goes on after a call that does not block: one that failed waited for nothing. */
static inline void wrap_tried(int error)
{
	struct worker *worker = worker_self();

	if (error && worker)
		record_detail(worker, WIRE_NOWAIT, 0);
}
