/* SPDX-License-Identifier: MIT */
/*
 * wrap.h - the wrapper of a function in which the calling task waits or lets others go on.
 *
 *	WRAP(rt, rt, int, rt_join, (void *task), (task), wrap_wait_for, WIRE_WAIT_NAMED, task)
 *
 * is the wrapper of int rt_join(void *task).  It calls wrap_wait_for(worker, call, WIRE_WAIT_NAMED,
 * task), which ends the strand, then the real function, and then lets the task go on.  The first rt
 * is the runtime; the second says how a task is inside of it, by three functions of the shim:
 *
 *	rt_worker(call)		the worker to record on; NULL: pass the call on, record nothing
 *	rt_leave(call, worker)	after the strand has ended: a struct frame, or one with more in it
 *	rt_return(&frame)	the call is back: the task goes on
 *
 * WRAP_TRY is for a call whose result may be a failure: rt_tried(&frame, result) replaces the last.
 * WRAP_LOCK is WRAP for a call that takes a lock, which is held from then on up to wrap_release().
 */
#pragma once

#include "shims/common/call.h"
#include "shims/common/door.h"
#include "shims/common/frame.h"

#define WRAP(runtime, manner, result, name, parameters, arguments, ...)                            \
	WRAP_AS(runtime, manner, result, name, parameters, arguments, result returned =,           \
		manner##_return(&frame), returned, __VA_ARGS__)
#define WRAP_VOID(runtime, manner, name, parameters, arguments, ...)                               \
	WRAP_AS(runtime, manner, void, name, parameters, arguments, , manner##_return(&frame), ,   \
		__VA_ARGS__)
#define WRAP_TRY(runtime, manner, result, name, parameters, arguments, ...)                        \
	WRAP_AS(runtime, manner, result, name, parameters, arguments, result returned =,           \
		manner##_tried(&frame, returned), returned, __VA_ARGS__)

#define WRAP_LOCK(runtime, manner, result, name, parameters, arguments, ...)                       \
	WRAP_AS(runtime, manner, result, name, parameters, arguments, result returned =,           \
		WRAP_TAKEN(manner), returned, __VA_ARGS__)
#define WRAP_LOCK_VOID(runtime, manner, name, parameters, arguments, ...)                          \
	WRAP_AS(runtime, manner, void, name, parameters, arguments, , WRAP_TAKEN(manner), ,        \
		__VA_ARGS__)
#define WRAP_TAKEN(manner) (clock_fence(), manner##_return(&frame))

#define WRAP_AS(runtime, manner, result, name, parameters, arguments, ...)                         \
	DOOR_WRAPPER(runtime, result, name, name, parameters)                                      \
	{                                                                                          \
		WRAP_IF_OFF(runtime, name, arguments);                                             \
		WRAP_BODY(__builtin_return_address(0), runtime, manner, name, arguments,           \
			  __VA_ARGS__)                                                             \
	}
/* Hot path: behind DOOR_WRAPPER(): where there are no doors, a call is passed on at once if nothing
 * is recorded: a load and a jump. */
#define WRAP_IF_OFF(runtime, name, arguments)                                                      \
	do {                                                                                       \
		const struct runtime *off = DOORS ? NULL : call_off(&runtime##_calls);             \
                                                                                                   \
		if (__builtin_expect(off != NULL, 0))                                              \
			return off->name arguments;                                                \
	} while (0)
#define WRAP_BODY(from, runtime, manner, name, arguments, keep, after, give, before, ...)          \
	{                                                                                          \
		struct call *call = CALL_FROM(from, runtime, name, NULL);                          \
		struct worker *worker = manner##_worker(call);                                     \
                                                                                                   \
		if (!worker)                                                                       \
			return runtime##_of(call)->name arguments;                                 \
		before(worker, call, ##__VA_ARGS__);                                               \
		__auto_type frame = manner##_leave(call, worker);                                  \
		keep runtime##_of(call)->name arguments;                                           \
		after;                                                                             \
		return give;                                                                       \
	}

/*
 * Hot path: a wrapper that passes the call on at once if nothing is recorded.  What follows is the
 * body for when something is, with `from`, the return address.  Where there are no doors it is a
 * function of its own, or its registers would be saved first.
 */
#define WRAP_UNLESS_OFF(runtime, result, wrapper, name, parameters, arguments)                     \
	WRAP_RECORDED result name##_recorded(void *from, WRAP_BARE parameters);                    \
	DOOR_WRAPPER(runtime, result, wrapper, name, parameters)                                   \
	{                                                                                          \
		WRAP_IF_OFF(runtime, name, arguments);                                             \
		return name##_recorded(__builtin_return_address(0), WRAP_BARE arguments);          \
	}                                                                                          \
	WRAP_RECORDED result name##_recorded(void *from, WRAP_BARE parameters)
#if defined(__x86_64__) && defined(__LP64__)
#define WRAP_RECORDED static inline __attribute__((always_inline))
#else
#define WRAP_RECORDED static __attribute__((noinline))
#endif
#define WRAP_BARE(...) __VA_ARGS__

/*
 * Hot path: the body of the wrapper of a wait in which tasks run: with 16 bytes of stack, so that
 * tasks that nest find room.  It makes no call but the runtime's, keeps one word across it,
 * rt_kept(worker), and ends by `after`, a function that is not inlined, as by a jump.  Where that
 * will not do it calls `otherwise`, which is WRAP_BODY() as a function; rt_enter(call, worker)
 * says so, by a store without a slot.
 */
#define WRAP_HOT_WAIT(runtime, manner, name, arguments, keep, after, wait, otherwise)              \
	{                                                                                          \
		WRAP_IF_OFF(runtime, name, arguments);                                             \
		const struct call *call = CALL_AT_HAND(runtime, name, NULL);                       \
		struct worker *worker = worker_self();                                             \
		struct store store = { 0 };                                                        \
                                                                                                   \
		if (__builtin_expect(call != NULL, 1))                                             \
			store = manner##_enter(call, worker);                                      \
		if (!store.slot)                                                                   \
			return otherwise;                                                          \
		worker_fill_now(store.slot, WIRE_WAIT, site_make(call->site, wait));               \
		worker_leave(worker, store, WORKER_OUTSIDE);                                       \
		record_id kept = manner##_kept(worker);                                            \
                                                                                                   \
		keep runtime##_of(call)->name arguments;                                           \
		return after;                                                                      \
	}

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

/* Releases what WRAP_LOCK() or wrap_held() took: what was loaded for the work in it is there. */
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
