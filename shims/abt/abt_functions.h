/* SPDX-License-Identifier: MIT */
/* abt_functions.h - Argobots' entry points that are wrapped, with their prototypes. [abt.h] */
#pragma once

#define ABT_ULT void *pool, abt_func func, void *arg, void *attr, void **made
#define ABT_TASKLET void *pool, abt_func func, void *arg, void **made

/* clang-format off */
#define ABT_IN_TASK(F) \
	F(int, ABT_thread_create, (ABT_ULT), CREATES_ULT) \
	F(int, ABT_thread_create_to, (ABT_ULT), CREATES_ULT) \
	F(int, ABT_thread_create_on_xstream, (ABT_ULT), CREATES_ULT) \
	F(int, ABT_task_create, (ABT_TASKLET), CREATES_TASKLET) \
	F(int, ABT_task_create_on_xstream, (ABT_TASKLET), CREATES_TASKLET) \
	F(int, ABT_thread_revive, (ABT_TASKLET), REVIVES) \
	F(int, ABT_thread_revive_to, (ABT_TASKLET), REVIVES) \
	F(int, ABT_task_revive, (ABT_TASKLET), REVIVES) \
	/* a tasklet is joined as a ULT is */ \
	F(int, ABT_thread_join, (void *thread), JOINS) \
	F(int, ABT_task_join, (void *thread), JOINS) \
	F(int, ABT_thread_free, (void **thread), FREES) \
	F(int, ABT_task_free, (void **thread), FREES) \
	F(int, ABT_thread_join_many, (int n, void **threads), JOINS_MANY, NULL) \
	F(int, ABT_thread_free_many, (int n, void **threads), JOINS_MANY, abt->ABT_thread_free) \
	F(int, ABT_thread_exit, (void), EXITS, (), NULL) \
	F(int, ABT_self_exit, (void), EXITS, (), NULL) \
	F(int, ABT_self_exit_to, (void *thread), EXITS, (thread), NULL) \
	F(int, ABT_self_resume_exit_to, (void *thread), EXITS, (thread), thread) \
	F(int, ABT_thread_get_thread_func, (void *thread, abt_func *func), \
	  SHOWS, (thread, func), thread, func) \
	F(int, ABT_thread_get_arg, (void *thread, void **arg), SHOWS, (thread, arg), thread, arg) \
	F(int, ABT_task_get_arg, (void *thread, void **arg), SHOWS, (thread, arg), thread, arg) \
	F(int, ABT_self_get_thread_func, (abt_func *func), SHOWS, (func), self(abt), func) \
	F(int, ABT_self_get_arg, (void **arg), SHOWS, (arg), self(abt), arg) \
	F(int, ABT_thread_set_arg, (void *thread, void *arg), CHANGES, (thread, arg), thread) \
	F(int, ABT_self_set_arg, (void *arg), CHANGES, (arg), self(abt))

#define ABT_CREATES_MANY(F) \
	F(int, ABT_thread_create_many, \
	  (int n, void **pools, abt_func *funcs, void **args, void *attr, void **made))

/*
 * lock			WAIT_OBJECT: until it is signalled
 * condition		WAIT_COND: likewise; nobody holds it
 * join, eventual, suspend	WAIT_NAMED: the end or the signal may have come before
 * future		WAIT_BAG: all that set it
 * barrier		WAIT_BARRIER
 */
#define ABT_IN_WAIT(F) \
	ROW(F, WAITS, ABT_thread_yield, 0, wrap_yield) \
	ROW(F, WAITS, ABT_thread_yield_to, 1, wrap_yield) \
	ROW(F, WAITS, ABT_self_yield, 0, wrap_yield) \
	ROW(F, WAITS, ABT_self_yield_to, 1, wrap_yield) \
	ROW(F, WAITS, ABT_self_resume_yield_to, 1, resume_and_yield, a1) \
	ROW(F, WAITS, ABT_self_suspend, 0, suspend, 0) \
	ROW(F, WAITS, ABT_self_suspend_to, 1, suspend, 0) \
	ROW(F, WAITS, ABT_self_resume_suspend_to, 1, suspend, a1) \
	ROW(F, WAITS, ABT_thread_resume, 1, SIGNAL(abt_resumed(a1))) \
	/* a ULT that is a scheduler, too; who changes the stream's lets others run meanwhile */ \
	ROW(F, WAITS, ABT_self_schedule, 2, wrap_yield) \
	ROW(F, WAITS, ABT_xstream_run_unit, 2, wrap_yield) \
	ROW(F, WAITS, ABT_xstream_set_main_sched, 2, wrap_yield) \
	ROW(F, WAITS, ABT_xstream_set_main_sched_basic, 4, wrap_yield) \
	/* nothing says whose tasks these wait for */ \
	ROW(F, WAITS, ABT_xstream_join, 1, wrap_yield) \
	ROW(F, WAITS, ABT_xstream_free, 1, wrap_yield) \
	ROW(F, WAITS, ABT_finalize, 0, wrap_yield) \
	ROW(F, WAITS, ABT_eventual_wait, 2, WAIT_FOR(NAMED, a1)) \
	ROW(F, WAITS, ABT_eventual_timedwait, 3, WAIT_FOR(NAMED, a1)) \
	ROW(F, WAITS, ABT_eventual_set, 3, SIGNAL(a1)) \
	ROW(F, WAITS, ABT_future_wait, 1, WAIT_FOR(BAG, a1)) \
	ROW(F, WAITS, ABT_future_set, 2, SIGNAL(a1)) \
	ROW(F, WAITS, ABT_barrier_wait, 1, WAIT_FOR(BARRIER, a1)) \
	ROW(F, WAITS, ABT_xstream_barrier_wait, 1, WAIT_FOR(BARRIER, a1)) \
	ROW(F, LOCKS, ABT_mutex_lock, 1, WAIT_FOR(OBJECT, a1)) \
	ROW(F, LOCKS, ABT_mutex_lock_high, 1, WAIT_FOR(OBJECT, a1)) \
	ROW(F, LOCKS, ABT_mutex_lock_low, 1, WAIT_FOR(OBJECT, a1)) \
	ROW(F, LOCKS, ABT_mutex_spinlock, 1, WAIT_FOR(OBJECT, a1)) \
	ROW(F, WAITS, ABT_mutex_unlock, 1, RELEASE(a1)) \
	ROW(F, WAITS, ABT_mutex_unlock_se, 1, RELEASE(a1)) \
	ROW(F, WAITS, ABT_mutex_unlock_de, 1, RELEASE(a1)) \
	ROW(F, AWAITS, ABT_cond_wait, 2) \
	ROW(F, AWAITS, ABT_cond_timedwait, 3) \
	ROW(F, WAITS, ABT_cond_signal, 1, SIGNAL(a1)) \
	ROW(F, WAITS, ABT_cond_broadcast, 1, SIGNAL(a1)) \
	ROW(F, LOCKS, ABT_rwlock_rdlock, 1, WAIT_FOR(OBJECT, a1)) \
	ROW(F, LOCKS, ABT_rwlock_wrlock, 1, WAIT_FOR(OBJECT, a1)) \
	ROW(F, WAITS, ABT_rwlock_unlock, 1, RELEASE(a1))
/* clang-format on */

#define ABT_FUNCTIONS(F) ABT_IN_TASK(F) ABT_CREATES_MANY(F) ABT_IN_WAIT(F)

/* Asked, not wrapped. */
#define ABT_ASKED(F)                                                                               \
	F(int, ABT_xstream_get_num, (int *n))                                                      \
	F(int, ABT_self_is_primary, (int *is))                                                     \
	F(int, ABT_self_get_thread, (void **thread))
