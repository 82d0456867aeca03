/* SPDX-License-Identifier: MIT */
/*
 * wrap.h - the wrapper of a function in which the calling task waits or lets others go on.
 *
 *	WRAP(rt, rt, rt_return(&frame), int, rt_join, (void *task), (task),
 *	     wrap_wait_for, WIRE_WAIT_NAMED, (uintptr_t)task);
 *
 * is int rt_join(void *task).  It calls wrap_wait_for(worker, call, WIRE_WAIT_NAMED, task), which
 * ends the strand, then the real function, and then rt_return(&frame), by which the task goes on.
 * The first rt is the runtime; the second says how a task is inside of it, by functions of the
 *shim:
 *
 *	rt_worker(call)		the worker to record on; NULL: pass the call on, record nothing
 *	rt_leave(call, worker)	after the strand has ended: a struct frame, or one with more in it
 *	rt_return(&frame)	the call is back: the task goes on
 *
 * The third argument may do more, by `frame`, `call`, and what was `returned`.  After a call that
 * takes a lock, which is held up to wrap_release(), it is (clock_fence(), rt_return(&frame)).
 */
#pragma once

#include "shims/common/call.h"
#include "shims/common/frame.h"

#define WRAP(runtime, manner, after, result, ...)                                                  \
	WRAP_AS(runtime, manner, after, result, result returned =, returned, __VA_ARGS__)
#define WRAP_VOID(runtime, manner, after, ...)                                                     \
	WRAP_AS(runtime, manner, after, void, , , __VA_ARGS__)
#define WRAP_AS(runtime, manner, after, result, keep, give, name, parameters, arguments, before,   \
		...)                                                                               \
	result name parameters                                                                     \
	{                                                                                          \
		struct call *call = CALL(runtime, name, NULL);                                     \
		struct worker *worker = manner##_worker(call);                                     \
                                                                                                   \
		if (!worker)                                                                       \
			return runtime##_of(call)->name arguments;                                 \
		before(worker, call, ##__VA_ARGS__);                                               \
		__auto_type frame = manner##_leave(call, worker);                                  \
		keep runtime##_of(call)->name arguments;                                           \
		after;                                                                             \
		return give;                                                                       \
	}                                                                                          \
	_Static_assert(1, "a semicolon follows")

/* ---- what ends the strand ---- */

static inline void wrap_wait(struct worker *worker, const struct call *call, enum wire_wait wait)
{
	record_wait(worker, call->site, wait);
}

/* `name` may be an address of the runtime's, or of the program's. */
static inline void wrap_wait_for(struct worker *worker, const struct call *call,
				 enum wire_wait wait, uint64_t name)
{
	record_wait_for(worker, call->site, wait, name);
}

static inline void wrap_signal(struct worker *worker, const struct call *call, uint64_t name)
{
	(void)call;
	record_end_strand(worker, WIRE_SIGNAL, name);
}

/* Releases what a wrapper or wrap_held() took: what was loaded for the work in it is there. */
static inline void wrap_release(struct worker *worker, const struct call *call, uint64_t lock)
{
	clock_fence();
	wrap_signal(worker, call, lock);
}

static inline void wrap_yield(struct worker *worker, const struct call *call)
{
	record_end_strand(worker, WIRE_YIELD, call->site);
}

/* ---- after the call ---- */

/* The task that runs has taken the lock, without a wait: a wait that is over as it begins. */
static inline void wrap_held(struct worker *worker, const struct call *call, uint64_t name)
{
	uint64_t ticks, limit;

	clock_fence();
	ticks = record_ticks(worker);
	limit = worker_limit(worker);
	record_event_at(worker, ticks, WIRE_WAIT, site_make(call->site, WIRE_WAIT_OBJECT));
	record_detail(worker, WIRE_OBJECT, name);
	record_strand_at(worker, ticks, limit, WIRE_RESUME, worker->task);
}
