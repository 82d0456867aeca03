/* SPDX-License-Identifier: MIT */
/*
 * mth_wrap.h - the wrappers that exist under several names, as macros of the name.
 *
 *	lock, condition		WAIT_OBJECT: until it is signalled
 *	join, join counter,	WAIT_NAMED: the end or the signal may have come before
 *	full/empty lock, uncond
 *	barrier			WAIT_BARRIER
 *	sleep			WAIT_OBJECT of something that nobody signals
 */
#pragma once

#include "shims/mth.h"

/* ---- threads ---- */

#define MTH_CREATES(name, attr_type, detached)                                                     \
	CALL_EXPORT int name(void **handle, attr_type attr, mth_func func, void *arg)              \
	{                                                                                          \
		struct call *call = MTH_CALL(name, func);                                          \
		struct worker *worker = call_worker(call);                                         \
		struct birth *birth = worker ? birth_new(worker) : NULL;                           \
                                                                                                   \
		if (!birth)                                                                        \
			return mth_of(call)->name(handle, attr, func, arg);                        \
		struct mth_self self = mth_create(worker, call, birth, arg);                       \
		bool unnamed = (detached); /* its handle may be another's by now */                \
		int err = mth_of(call)->name(handle, attr, birth_run, birth);                      \
                                                                                                   \
		mth_created(call, self, err || unnamed ? NULL : *handle);                          \
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
#define MTH_TRIES_JOIN(name)                                                                       \
	CALL_EXPORT int name(void *handle, void **result)                                          \
	{                                                                                          \
		struct call *call = MTH_CALL(name, NULL);                                          \
		struct worker *worker = call_worker(call);                                         \
		int err;                                                                           \
                                                                                                   \
		if (!worker)                                                                       \
			return mth_of(call)->name(handle, result);                                 \
		MTH_UNTIL(NAMED, handle);                                                          \
		err = mth_of(call)->name(handle, result);                                          \
		if (err)                                                                           \
			record_detail(worker, WIRE_NOWAIT, 0);                                     \
		record_resume(worker, worker->task);                                               \
		return err;                                                                        \
	}

/* Does not return, and so not through birth_run(). */
#define MTH_EXITS(name)                                                                            \
	CALL_EXPORT void name(void *result)                                                        \
	{                                                                                          \
		struct call *call = MTH_CALL(name, NULL);                                          \
		struct worker *worker = call_worker(call);                                         \
                                                                                                   \
		if (worker && worker->task)                                                        \
			record_end(worker, 0);                                                     \
		mth_of(call)->name(result);                                                        \
		__builtin_unreachable();                                                           \
	}

/* ---- locks and conditions ---- */

/* The mutex is released, the condition awaited; that the mutex is had again is part of the wait. */
static inline void mth_wait_cond(struct worker *worker, uint32_t site, const void *cond,
				 const void *mutex)
{
	record_end_strand(worker, WIRE_SIGNAL, (uintptr_t)mutex);
	record_resume(worker, worker->task);
	record_wait_for(worker, site, WIRE_WAIT_OBJECT, (uintptr_t)cond);
}

#define MTH_LOCKS(name, parameters, object, arguments)                                             \
	MTH_WAITS(int, name, parameters, MTH_UNTIL(OBJECT, object), arguments)
#define MTH_RELEASES(name, parameters, object, arguments)                                          \
	MTH_WAITS(int, name, parameters, MTH_SIGNALS(object), arguments)

/* ---- once ---- */

/* Who comes first runs `init` at once, on the same thread; the others wait. */
struct mth_once {
	void (*init)(void);
	void *once;
	struct mth_self self;
};
extern __thread struct mth_once mth_once __attribute__((tls_model("initial-exec"))) CALL_HIDDEN;

void mth_once_run(void) CALL_HIDDEN MTH_BODY; /* mth_once.c */

#define MTH_ONCE(name)                                                                             \
	CALL_EXPORT int name(void *once, void (*init)(void))                                       \
	{                                                                                          \
		struct call *call = MTH_CALL(name, NULL);                                          \
		struct worker *worker = call_worker(call);                                         \
		int ret;                                                                           \
                                                                                                   \
		if (!worker)                                                                       \
			return mth_of(call)->name(once, init);                                     \
		MTH_UNTIL(OBJECT, once);                                                           \
		struct mth_self self = mth_leave(worker);                                          \
                                                                                                   \
		mth_once = (struct mth_once){ init, once, self };                                  \
		ret = mth_of(call)->name(once, mth_once_run);                                      \
		mth_resume(self);                                                                  \
		return ret;                                                                        \
	}

/* ---- all of MTH_SHARED ---- */

#define MTH_WRAP_SHARED(p)                                                                         \
	MTH_WAITS_OR_PASSES(int, p##join, (void *handle, void **result), MTH_UNTIL(NAMED, handle), \
			    (handle, result))                                                      \
	MTH_EXITS(p##exit)                                                                         \
	MTH_LOCKS(p##mutex_lock, (void *mutex), mutex, (mutex))                                    \
	MTH_LOCKS(p##mutex_timedlock, (void *mutex, const void *until), mutex, (mutex, until))     \
	MTH_RELEASES(p##mutex_unlock, (void *mutex), mutex, (mutex))                               \
	MTH_WAITS(int, p##cond_wait, (void *cond, void *mutex),                                    \
		  mth_wait_cond(worker, call->site, cond, mutex), (cond, mutex))                   \
	MTH_WAITS(int, p##cond_timedwait, (void *cond, void *mutex, const void *until),            \
		  mth_wait_cond(worker, call->site, cond, mutex), (cond, mutex, until))            \
	MTH_RELEASES(p##cond_signal, (void *cond), cond, (cond))                                   \
	MTH_RELEASES(p##cond_broadcast, (void *cond), cond, (cond))                                \
	MTH_WAITS(int, p##barrier_wait, (void *barrier), MTH_UNTIL(BARRIER, barrier), (barrier))   \
	MTH_ONCE(p##once)                                                                          \
	MTH_LOCKS(p##rwlock_rdlock, (void *lock), lock, (lock))                                    \
	MTH_LOCKS(p##rwlock_timedrdlock, (void *lock, const void *until), lock, (lock, until))     \
	MTH_LOCKS(p##rwlock_wrlock, (void *lock), lock, (lock))                                    \
	MTH_LOCKS(p##rwlock_timedwrlock, (void *lock, const void *until), lock, (lock, until))     \
	MTH_RELEASES(p##rwlock_unlock, (void *lock), lock, (lock))                                 \
	MTH_WAITS_VOID(p##testcancel, (void), MTH_YIELDS, ()) /* if cancelled, it never returns */

/* ---- all of MTH_PTHREAD ---- */

#define MTH_WRAP_PTHREAD(p)                                                                        \
	MTH_WRAP_SHARED(p##pthread_)                                                               \
	MTH_CREATES(p##pthread_create, const void *, false)                                        \
	MTH_TRIES_JOIN(p##pthread_tryjoin_np)                                                      \
	MTH_WAITS(int, p##pthread_timedjoin_np, (void *handle, void **result, const void *until),  \
		  MTH_UNTIL(NAMED, handle), (handle, result, until))                               \
	MTH_WAITS(int, p##sched_yield, (void), MTH_YIELDS, ())                                     \
	MTH_WAITS(unsigned, p##sleep, (unsigned s), MTH_UNTIL(OBJECT, &s), (s))                    \
	MTH_WAITS(int, p##usleep, (unsigned us), MTH_UNTIL(OBJECT, &us), (us))                     \
	MTH_WAITS(int, p##nanosleep, (const void *length, void *left), MTH_UNTIL(OBJECT, &left),   \
		  (length, left))
