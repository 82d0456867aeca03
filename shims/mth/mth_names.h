/* SPDX-License-Identifier: MIT */
/*
 * mth_names.h - all wrappers of the functions that exist under several names: MassiveThreads' own
 * (mth_wait.c), those in the place of pthread's (mthdl.c), and those that a linker puts there
 * (mth_ld.c).
 */
#pragma once

#include "shims/mth/mth_wrap.h"

/* ---- all of MTH_SHARED ---- */

#define MTH_WRAP_SHARED(p)                                                                         \
	MTH_JOINS(p##join);                                                                        \
	MTH_EXITS(p##exit)                                                                         \
	MTH_LOCKS(p##mutex_lock, (void *mutex), (mutex), mutex);                                   \
	MTH_LOCKS(p##mutex_timedlock, (void *mutex, const void *until), (mutex, until), mutex);    \
	MTH_UNLOCKS(p##mutex_unlock, (void *mutex), (mutex), mutex);                               \
	MTH_TRIES_LOCK(p##mutex_trylock)                                                           \
	MTH_AWAITS(p##cond_wait, (void *cond, void *mutex), (cond, mutex));                        \
	MTH_AWAITS(p##cond_timedwait, (void *cond, void *mutex, const void *until),                \
		   (cond, mutex, until));                                                          \
	MTH_RELEASES(p##cond_signal, (void *cond), (cond), cond);                                  \
	MTH_RELEASES(p##cond_broadcast, (void *cond), (cond), cond);                               \
	MTH_WAITS_FOR(BARRIER, p##barrier_wait, (void *barrier), (barrier), barrier);              \
	MTH_ONCE(p##once)                                                                          \
	MTH_LOCKS(p##rwlock_rdlock, (void *lock), (lock), lock);                                   \
	MTH_TRIES_LOCK(p##rwlock_tryrdlock)                                                        \
	MTH_TRIES_LOCK(p##rwlock_trywrlock)                                                        \
	MTH_LOCKS(p##rwlock_timedrdlock, (void *lock, const void *until), (lock, until), lock);    \
	MTH_LOCKS(p##rwlock_wrlock, (void *lock), (lock), lock);                                   \
	MTH_LOCKS(p##rwlock_timedwrlock, (void *lock, const void *until), (lock, until), lock);    \
	MTH_UNLOCKS(p##rwlock_unlock, (void *lock), (lock), lock);                                 \
	MTH_WAITS_VOID(p##testcancel, (void), (), wrap_yield); /* if cancelled, it never returns   \
								*/

/* Sleeping: nobody signals the variable. */
#define MTH_WRAP_SLEEP(p)                                                                          \
	MTH_WRAP(stay_return(&stay), unsigned, p##sleep, (unsigned s), (s), wrap_wait_for,         \
		 WIRE_WAIT_OBJECT, (uintptr_t)&s);                                                 \
	MTH_WAITS_FOR(OBJECT, p##usleep, (unsigned us), (us), &us);                                \
	MTH_WAITS_FOR(OBJECT, p##nanosleep, (const void *length, void *left), (length, left),      \
		      &left);

/* ---- all of MTH_PTHREAD ---- */

#define MTH_WRAP_PTHREAD(p)                                                                        \
	MTH_WRAP_SHARED(p##pthread_)                                                               \
	MTH_CREATES(p##pthread_create, const void *, false)                                        \
	MTH_TRIES_JOIN(p##pthread_tryjoin_np);                                                     \
	MTH_WAITS_FOR(NAMED, p##pthread_timedjoin_np,                                              \
		      (void *handle, void **result, const void *until), (handle, result, until),   \
		      handle);                                                                     \
	MTH_WAITS(p##sched_yield, (void), (), wrap_yield);                                         \
	MTH_WRAP_SLEEP(p)
