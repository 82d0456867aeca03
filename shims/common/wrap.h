/* SPDX-License-Identifier: MIT */
/*
 * wrap.h - the wrapper of a function in which the calling task waits or lets others go on.
 *
 *	WRAP(rt, rt, rt_return(&stay), int, rt_join, (void *task), (task),
 *	     wrap_wait_for, WIRE_WAIT_NAMED, (uintptr_t)task);
 *
 * is int rt_join(void *task).  It calls wrap_wait_for(worker, callsite, WIRE_WAIT_NAMED, task),
 *which ends the strand, then the real function, and then rt_return(&stay), by which the task goes
 *on. The first rt is the runtime; the second says how a task is inside of it, by functions of the
 * shim:
 *
 *	rt_worker(callsite)	the worker to record on; NULL: pass the call on, record nothing
 *	rt_leave(callsite, worker)	after the strand has ended: a struct stay, or one with more
 *	rt_return(&stay)	the call is back: the task goes on
 *
 * The third argument may do more, by `stay`, `callsite`, and what was `returned`.  After a call
 *that takes a lock, which is held up to wrap_release(), it is (clock_fence(), rt_return(&stay)).
 */
#pragma once

#include "shims/common/callsite.h"
#include "shims/common/stay.h"

#define WRAP(runtime, manner, after, result, ...)                                                  \
	WRAP_AS(runtime, manner, after, result, result returned =, returned, __VA_ARGS__)
#define WRAP_VOID(runtime, manner, after, ...)                                                     \
	WRAP_AS(runtime, manner, after, void, , , __VA_ARGS__)
#define WRAP_AS(runtime, manner, after, result, keep, give, name, parameters, arguments, before,   \
		...)                                                                               \
	result name parameters                                                                     \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(runtime, name, NULL);                         \
		struct worker *worker = manner##_worker(callsite);                                 \
                                                                                                   \
		if (!worker)                                                                       \
			return runtime##_of(callsite)->name arguments;                             \
		before(worker, callsite, ##__VA_ARGS__);                                           \
		__auto_type stay = manner##_leave(callsite, worker);                               \
		keep runtime##_of(callsite)->name arguments;                                       \
		after;                                                                             \
		return give;                                                                       \
	}                                                                                          \
	_Static_assert(1, "a semicolon follows")

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
