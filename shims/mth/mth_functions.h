/* SPDX-License-Identifier: MIT */
/*
 * mth_functions.h - MassiveThreads' entry points that are wrapped, with their prototypes.
 *
 * The runtime comes under three sets of names: libmyth has myth_*, libmyth-ld has __wrap_pthread_*
 * besides, to which a program's calls are linked by ld --wrap, and libmyth-dl has pthread_*
 * itself.  What the three do is the same (MTH_SHARED); a pthread_t is then a handle.
 */
#pragma once

/*
 * lock			WAIT_OBJECT: until it is signalled
 * condition		WAIT_COND: likewise; nobody holds it
 * join, join counter,	WAIT_NAMED: the end or the signal may have come before
 * full/empty lock, uncond
 * barrier		WAIT_BARRIER
 * sleep		WAIT_OBJECT of something that nobody signals
 */
/* clang-format off */
#define MTH_SHARED(F, p) \
	ROW(F, WAITS, p##join, 2, WAIT_FOR(NAMED, a1)) \
	ROW_VOID(F, EXITS, p##exit, 1) \
	ROW(F, LOCKS, p##mutex_lock, 1, WAIT_FOR(OBJECT, a1)) \
	ROW(F, TRIES, p##mutex_trylock, 1) \
	ROW(F, LOCKS, p##mutex_timedlock, 2, WAIT_FOR(OBJECT, a1)) \
	ROW(F, WAITS, p##mutex_unlock, 1, RELEASE(a1)) \
	ROW(F, AWAITS, p##cond_wait, 2) \
	ROW(F, AWAITS, p##cond_timedwait, 3) \
	ROW(F, WAITS, p##cond_signal, 1, SIGNAL(a1)) \
	ROW(F, WAITS, p##cond_broadcast, 1, SIGNAL(a1)) \
	ROW(F, WAITS, p##barrier_wait, 1, WAIT_FOR(BARRIER, a1)) \
	ROW(F, ONCE, p##once, 2) \
	ROW(F, LOCKS, p##rwlock_rdlock, 1, WAIT_FOR(OBJECT, a1)) \
	ROW(F, TRIES, p##rwlock_tryrdlock, 1) \
	ROW(F, TRIES, p##rwlock_trywrlock, 1) \
	ROW(F, LOCKS, p##rwlock_timedrdlock, 2, WAIT_FOR(OBJECT, a1)) \
	ROW(F, LOCKS, p##rwlock_wrlock, 1, WAIT_FOR(OBJECT, a1)) \
	ROW(F, LOCKS, p##rwlock_timedwrlock, 2, WAIT_FOR(OBJECT, a1)) \
	ROW(F, WAITS, p##rwlock_unlock, 1, RELEASE(a1)) \
	ROW_VOID(F, WAITS, p##testcancel, 0, wrap_yield) /* cancelled, it never returns */

#define MTH_SLEEP(F, p) \
	ROW(F, WAITS, p##sleep, 1, WAIT_FOR(OBJECT, &a1)) \
	ROW(F, WAITS, p##usleep, 1, WAIT_FOR(OBJECT, &a1)) \
	ROW(F, WAITS, p##nanosleep, 2, WAIT_FOR(OBJECT, &a2))

/* As in MTH_SHARED, but their names differ by more than what stands before. */
#define MTH_PTHREAD(F, p) \
	MTH_SHARED(F, p##pthread_) \
	ROW(F, CREATES, p##pthread_create, 4, false) \
	ROW(F, TRIES_JOIN, p##pthread_tryjoin_np, 2) \
	ROW(F, WAITS, p##pthread_timedjoin_np, 3, WAIT_FOR(NAMED, a1)) \
	ROW(F, WAITS, p##sched_yield, 0, wrap_yield) \
	MTH_SLEEP(F, p)

#define MTH_IN_WAIT(F) \
	MTH_SHARED(F, myth_) \
	MTH_SLEEP(F, myth_) \
	ROW_VOID(F, WAITS, myth_yield, 0, wrap_yield) \
	ROW_VOID(F, WAITS, myth_yield_ex, 1, wrap_yield) \
	ROW(F, WAITS, myth_sched_yield, 0, wrap_yield) \
	ROW(F, WAITS, myth_join_counter_wait, 1, WAIT_FOR(NAMED, a1)) \
	ROW(F, WAITS, myth_join_counter_dec, 1, SIGNAL(a1)) \
	ROW(F, LOCKS, myth_felock_lock, 1, WAIT_FOR(OBJECT, a1)) \
	ROW(F, WAITS, myth_felock_unlock, 1, RELEASE(a1)) \
	ROW(F, LOCKS, myth_felock_wait_and_lock, 2, WAIT_FOR(WORD, a1)) \
	ROW(F, WAITS, myth_felock_mark_and_signal, 2, RELEASE(a1)) \
	ROW(F, WAITS, myth_uncond_wait, 1, WAIT_FOR(NAMED, a1)) \
	ROW(F, WAITS, myth_uncond_signal, 1, SIGNAL(a1)) \
	ROW(F, TRIES_JOIN, myth_tryjoin, 2) \
	ROW(F, WAITS, myth_timedjoin, 3, WAIT_FOR(NAMED, a1)) \
	ROW(F, CREATES, myth_create_ex, 4, is_detached(a2)) \
	ROW(F, INITS, myth_init, 0) \
	ROW(F, INITS, myth_init_ex, 1) \
	ROW_VOID(F, WAITS, myth_fini, 0, leave_runtime)
/* clang-format on */

/* In the second, the thread waits for somebody who pushes it to a run queue. */
#define MTH_IN_TASK(F)                                                                             \
	F(void *, myth_create, (mth_func func, void *arg), MAKES, (func, arg), (birth_run, birth)) \
	F(void *, myth_create_nosched, (mth_func func, void *arg, const struct mth_attr *attr),    \
	  MAKES, (func, arg, attr), (birth_run, birth, attr))

#define MTH_OF_MANY(F)                                                                             \
	F(int, myth_create_join_many_ex,                                                           \
	  (void *handles, void *attrs, mth_func func, void *args, void *results,                   \
	   size_t handle_stride, size_t attr_stride, size_t arg_stride, size_t result_stride,      \
	   long n))                                                                                \
	F(int, myth_create_join_various_ex,                                                        \
	  (void *handles, void *attrs, mth_func *funcs, void *args, void *results,                 \
	   size_t handle_stride, size_t attr_stride, size_t func_stride, size_t arg_stride,        \
	   size_t result_stride, long n))

#ifdef MTH_DL /* the shim for libmyth-dl; it has myth_* as well, but those are the other shim's */
#define MTH_FUNCTIONS(F) MTH_PTHREAD(F, )
#else
#define MTH_FUNCTIONS(F)                                                                           \
	MTH_IN_TASK(F)                                                                             \
	MTH_OF_MANY(F)                                                                             \
	MTH_IN_WAIT(F)                                                                             \
	MTH_PTHREAD(F, __wrap_)
#endif

/* Asked, not wrapped: who has it is MassiveThreads. */
#define MTH_ASKED(F) F(int, myth_get_num_workers, (void))
