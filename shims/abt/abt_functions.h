/* SPDX-License-Identifier: MIT */
/* abt_functions.h - Argobots' entry points that are wrapped, with their prototypes. [abt.h] */
#pragma once

#define ABT_IN_TASK(F)                                                                             \
	F(int, ABT_thread_create, (void *pool, abt_func func, void *arg, void *attr, void **made)) \
	F(int, ABT_thread_create_to,                                                               \
	  (void *pool, abt_func func, void *arg, void *attr, void **made))                         \
	F(int, ABT_thread_create_on_xstream,                                                       \
	  (void *pool, abt_func func, void *arg, void *attr, void **made))                         \
	F(int, ABT_thread_create_many,                                                             \
	  (int n, void **pools, abt_func *funcs, void **args, void *attr, void **made))            \
	F(int, ABT_task_create, (void *pool, abt_func func, void *arg, void **made))               \
	F(int, ABT_task_create_on_xstream, (void *pool, abt_func func, void *arg, void **made))    \
	F(int, ABT_thread_revive, (void *pool, abt_func func, void *arg, void **made))             \
	F(int, ABT_thread_revive_to, (void *pool, abt_func func, void *arg, void **made))          \
	F(int, ABT_task_revive, (void *pool, abt_func func, void *arg, void **made))               \
	F(int, ABT_thread_join, (void *thread))                                                    \
	F(int, ABT_task_join, (void *thread))                                                      \
	F(int, ABT_thread_join_many, (int n, void **threads))                                      \
	F(int, ABT_thread_free, (void **thread))                                                   \
	F(int, ABT_task_free, (void **thread))                                                     \
	F(int, ABT_thread_free_many, (int n, void **threads))                                      \
	F(int, ABT_thread_exit, (void))                                                            \
	F(int, ABT_self_exit, (void))                                                              \
	F(int, ABT_self_exit_to, (void *thread))                                                   \
	F(int, ABT_self_resume_exit_to, (void *thread))                                            \
	F(int, ABT_thread_get_thread_func, (void *thread, abt_func *func))                         \
	F(int, ABT_thread_get_arg, (void *thread, void **arg))                                     \
	F(int, ABT_task_get_arg, (void *thread, void **arg))                                       \
	F(int, ABT_thread_set_arg, (void *thread, void *arg))                                      \
	F(int, ABT_self_get_thread_func, (abt_func * func))                                        \
	F(int, ABT_self_get_arg, (void **arg))                                                     \
	F(int, ABT_self_set_arg, (void *arg))

#define ABT_IN_WAIT(F)                                                                             \
	F(int, ABT_thread_yield, (void))                                                           \
	F(int, ABT_thread_yield_to, (void *thread))                                                \
	F(int, ABT_self_yield, (void))                                                             \
	F(int, ABT_self_yield_to, (void *thread))                                                  \
	F(int, ABT_self_resume_yield_to, (void *thread))                                           \
	F(int, ABT_self_suspend, (void))                                                           \
	F(int, ABT_self_suspend_to, (void *thread))                                                \
	F(int, ABT_self_resume_suspend_to, (void *thread))                                         \
	F(int, ABT_thread_resume, (void *thread))                                                  \
	F(int, ABT_self_schedule, (void *thread, void *pool))                                      \
	F(int, ABT_xstream_run_unit, (void *unit, void *pool))                                     \
	F(int, ABT_xstream_join, (void *xstream))                                                  \
	F(int, ABT_xstream_free, (void **xstream))                                                 \
	F(int, ABT_finalize, (void))                                                               \
	F(int, ABT_eventual_wait, (void *eventual, void **value))                                  \
	F(int, ABT_eventual_timedwait, (void *eventual, void **value, const void *until))          \
	F(int, ABT_eventual_set, (void *eventual, void *value, int bytes))                         \
	F(int, ABT_future_wait, (void *future))                                                    \
	F(int, ABT_future_set, (void *future, void *value))                                        \
	F(int, ABT_barrier_wait, (void *barrier))                                                  \
	F(int, ABT_xstream_barrier_wait, (void *barrier))                                          \
	F(int, ABT_mutex_lock, (void *mutex))                                                      \
	F(int, ABT_mutex_lock_high, (void *mutex))                                                 \
	F(int, ABT_mutex_lock_low, (void *mutex))                                                  \
	F(int, ABT_mutex_spinlock, (void *mutex))                                                  \
	F(int, ABT_mutex_unlock, (void *mutex))                                                    \
	F(int, ABT_mutex_unlock_se, (void *mutex))                                                 \
	F(int, ABT_mutex_unlock_de, (void *mutex))                                                 \
	F(int, ABT_cond_wait, (void *cond, void *mutex))                                           \
	F(int, ABT_cond_timedwait, (void *cond, void *mutex, const void *until))                   \
	F(int, ABT_cond_signal, (void *cond))                                                      \
	F(int, ABT_cond_broadcast, (void *cond))                                                   \
	F(int, ABT_rwlock_rdlock, (void *lock))                                                    \
	F(int, ABT_rwlock_wrlock, (void *lock))                                                    \
	F(int, ABT_rwlock_unlock, (void *lock))

#define ABT_FUNCTIONS(F) ABT_IN_TASK(F) ABT_IN_WAIT(F)

/* Asked, not wrapped. */
#define ABT_ASKED(F)                                                                               \
	F(int, ABT_xstream_get_num, (int *n))                                                      \
	F(int, ABT_self_is_primary, (int *is))                                                     \
	F(int, ABT_self_get_thread, (void **thread))
