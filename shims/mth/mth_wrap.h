/* SPDX-License-Identifier: MIT */
/*
 * mth_wrap.h - the wrappers that exist under several names, as macros of the name.
 *
 *	lock			WAIT_OBJECT: until it is signalled
 *	condition		WAIT_COND: likewise; nobody holds it
 *	join, join counter,	WAIT_NAMED: the end or the signal may have come before
 *	full/empty lock, uncond
 *	barrier			WAIT_BARRIER
 *	sleep			WAIT_OBJECT of something that nobody signals
 */
#pragma once

#include "shims/mth/mth_once.h"

/* ---- threads ---- */

#define MTH_CREATES(name, attr_type, detached)                                                     \
	int name(void **handle, attr_type attr, mth_func func, void *arg)                          \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(mth, name, func);                             \
		struct worker *worker = callsite_worker(callsite);                                 \
		struct birth *birth = worker ? birth_new(worker) : NULL;                           \
                                                                                                   \
		if (!birth)                                                                        \
			return mth_of(callsite)->name(handle, attr, func, arg);                    \
		struct stay stay = mth_create(worker, callsite, birth, arg);                       \
		bool unnamed = (detached); /* its handle may be another's by now */                \
		int err = mth_of(callsite)->name(handle, attr, birth_run, birth);                  \
                                                                                                   \
		mth_created(callsite, stay, err || unnamed ? NULL : *handle);                      \
		if (err)                                                                           \
			mth_not_created(birth);                                                    \
		return err;                                                                        \
	}

/* A create call that failed: the task is discarded. */
static inline void mth_not_created(struct birth *birth)
{
	struct worker *worker = record_worker();

	if (!worker)
		return;
	record_detail(worker, WIRE_DISCARD, birth->id);
	birth_free(worker, birth);
}

/* It does not block, and stays on its thread.  That it failed is told before its strand begins. */
static inline void mth_tried(const struct stay *stay, int err)
{
	if (err)
		record_detail(worker_self(), WIRE_NOWAIT, 0);
	stay_resume(stay);
}

#define MTH_TRIES_JOIN(name)                                                                       \
	WRAP(mth, callsite_worker(callsite), stay_keep(worker), mth_tried(&stay, returned), int,   \
	     name, (void *handle, void **result), (handle, result), wrap_wait_for,                 \
	     WIRE_WAIT_NAMED, (uintptr_t)handle)

/* The wait for one thread, which is on the hot path. */
#define MTH_JOINS(name)                                                                            \
	MTH_WAITS_FOR(NAMED, name, (void *handle, void **result), (handle, result), handle)

/* Does not return, and so not through birth_run(). */
#define MTH_EXITS(name)                                                                            \
	void name(void *result)                                                                    \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(mth, name, NULL);                             \
		struct worker *worker = callsite_worker(callsite);                                 \
                                                                                                   \
		if (worker && worker->task)                                                        \
			record_end(worker, 0);                                                     \
		mth_of(callsite)->name(result);                                                    \
		__builtin_unreachable();                                                           \
	}

/* ---- locks and conditions ---- */

/* The task goes on, and holds the mutex: two strands more, of no length. */
static inline void mth_return_holding(const struct callsite *callsite, const struct stay *stay,
				      const void *mutex)
{
	struct worker *worker = record_worker();

	if (!worker)
		return;
	stay_resume_from(worker, stay->worker, stay->task);
	wrap_held(worker, callsite, (uintptr_t)mutex);
}

#define MTH_AWAITS(name, parameters, arguments)                                                    \
	MTH_WRAP(mth_return_holding(callsite, &stay, mutex), int, name, parameters, arguments,     \
		 wrap_wait_cond, cond, mutex)

#define MTH_TAKES(...) MTH_WRAP((clock_fence(), stay_return(&stay)), int, __VA_ARGS__)
#define MTH_LOCKS(name, parameters, arguments, lock)                                               \
	MTH_TAKES(name, parameters, arguments, wrap_wait_for, WIRE_WAIT_OBJECT, (uintptr_t)(lock))
#define MTH_UNLOCKS(name, parameters, arguments, lock)                                             \
	MTH_WAITS(name, parameters, arguments, wrap_release, (uintptr_t)(lock))

/* Who fails goes on as if there had been no call, since many call it in a loop. */
#define MTH_TRIES_LOCK(name)                                                                       \
	int name(void *lock)                                                                       \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(mth, name, NULL);                             \
		struct worker *worker = callsite_worker(callsite);                                 \
		int error = mth_of(callsite)->name(lock);                                          \
                                                                                                   \
		if (worker && worker->task && error == 0)                                          \
			wrap_held(worker, callsite, (uintptr_t)lock);                              \
		return error;                                                                      \
	}
