/* SPDX-License-Identifier: MIT */
/*
 * abt_wait.c - places where a ULT waits or lets others go on.
 *
 *	lock			WAIT_OBJECT: until it is signalled
 *	condition		WAIT_COND: likewise; nobody holds it
 *	join, eventual, suspend	WAIT_NAMED: the end or the signal may have come before
 *	future			WAIT_BAG: all that set it
 *	barrier			WAIT_BARRIER
 */
#include "shims/abt/abt.h"

#include "preload/poison.h"

ABT_IN_WAIT(CALL_WRAPPER)

/* ---- letting others run ---- */

ABT_WAITS(ABT_thread_yield, (void), (), wrap_yield);
ABT_WAITS(ABT_thread_yield_to, (void *thread), (thread), wrap_yield);
ABT_WAITS(ABT_self_yield, (void), (), wrap_yield);
ABT_WAITS(ABT_self_yield_to, (void *thread), (thread), wrap_yield);

/* A ULT that is a scheduler, too. */
ABT_WAITS(ABT_self_schedule, (void *thread, void *pool), (thread, pool), wrap_yield);
ABT_WAITS(ABT_xstream_run_unit, (void *unit, void *pool), (unit, pool), wrap_yield);

/* Nothing says whose tasks these wait for. */
ABT_WAITS(ABT_xstream_join, (void *xstream), (xstream), wrap_yield);
ABT_WAITS(ABT_xstream_free, (void **xstream), (xstream), wrap_yield);
ABT_WAITS(ABT_finalize, (void), (), wrap_yield);

/* ---- suspending ---- */

static void resume_first(struct worker *worker, const struct callsite *callsite, const void *thread)
{
	wrap_signal(worker, callsite, abt_resumed(thread));
	record_resume(worker, worker->task);
}

static void suspend(struct worker *worker, const struct callsite *callsite, const void *resumed)
{
	void *self = NULL;

	abt_of(callsite)->ABT_self_get_thread(&self);
	if (resumed)
		resume_first(worker, callsite, resumed);
	wrap_wait_for(worker, callsite, WIRE_WAIT_NAMED, abt_resumed(self));
}

static void resume_and_yield(struct worker *worker, const struct callsite *callsite,
			     const void *resumed)
{
	resume_first(worker, callsite, resumed);
	wrap_yield(worker, callsite);
}

ABT_WAITS(ABT_self_suspend, (void), (), suspend, NULL);
ABT_WAITS(ABT_self_suspend_to, (void *thread), (thread), suspend, NULL);
ABT_WAITS(ABT_self_resume_suspend_to, (void *thread), (thread), suspend, thread);
ABT_WAITS(ABT_self_resume_yield_to, (void *thread), (thread), resume_and_yield, thread);
ABT_RELEASES(ABT_thread_resume, (void *thread), (thread), abt_resumed(thread));

/* ---- eventuals, futures, barriers ---- */

ABT_WAITS_FOR(NAMED, ABT_eventual_wait, (void *eventual, void **value), (eventual, value),
	      eventual);
ABT_WAITS_FOR(NAMED, ABT_eventual_timedwait, (void *eventual, void **value, const void *until),
	      (eventual, value, until), eventual);
ABT_RELEASES(ABT_eventual_set, (void *eventual, void *value, int bytes), (eventual, value, bytes),
	     eventual);
ABT_WAITS_FOR(BAG, ABT_future_wait, (void *future), (future), future);
ABT_RELEASES(ABT_future_set, (void *future, void *value), (future, value), future);
ABT_WAITS_FOR(BARRIER, ABT_barrier_wait, (void *barrier), (barrier), barrier);
ABT_WAITS_FOR(BARRIER, ABT_xstream_barrier_wait, (void *barrier), (barrier), barrier);

/* ---- locks and conditions ---- */

#define LOCKS(name)                                                                                \
	ABT_WRAP((clock_fence(), abt_return(&stay)), name, (void *lock), (lock), wrap_wait_for,    \
		 WIRE_WAIT_OBJECT, (uintptr_t)lock)
#define UNLOCKS(name) ABT_WAITS(name, (void *lock), (lock), wrap_release, (uintptr_t)lock)

LOCKS(ABT_mutex_lock);
LOCKS(ABT_mutex_lock_high);
LOCKS(ABT_mutex_lock_low);
LOCKS(ABT_mutex_spinlock);
UNLOCKS(ABT_mutex_unlock);
UNLOCKS(ABT_mutex_unlock_se);
UNLOCKS(ABT_mutex_unlock_de);
LOCKS(ABT_rwlock_rdlock);
LOCKS(ABT_rwlock_wrlock);
UNLOCKS(ABT_rwlock_unlock);

/* The task goes on, and holds the mutex: two strands more, of no length. */
static void return_holding(const struct callsite *callsite, const struct stay *stay,
			   const void *mutex)
{
	struct worker *worker;

	abt_return(stay);
	worker = record_worker();
	if (worker)
		wrap_held(worker, callsite, (uintptr_t)mutex);
}

#define AWAITS(name, parameters, arguments)                                                        \
	ABT_WRAP(return_holding(callsite, &stay, mutex), name, parameters, arguments,              \
		 wrap_wait_cond, cond, mutex)

AWAITS(ABT_cond_wait, (void *cond, void *mutex), (cond, mutex));
AWAITS(ABT_cond_timedwait, (void *cond, void *mutex, const void *until), (cond, mutex, until));
ABT_RELEASES(ABT_cond_signal, (void *cond), (cond), cond);
ABT_RELEASES(ABT_cond_broadcast, (void *cond), (cond), cond);
