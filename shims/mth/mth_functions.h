/* SPDX-License-Identifier: MIT */
/*
 * mth_functions.h - MassiveThreads' entry points that are wrapped, with their prototypes.
 *
 * The runtime comes under three sets of names: libmyth has myth_*, libmyth-ld has __wrap_pthread_*
 * besides, to which a program's calls are linked by ld --wrap, and libmyth-dl has pthread_*
 * itself.  What the three do is the same (MTH_SHARED); a pthread_t is then a handle.
 */
#pragma once

#define MTH_SHARED(F, p)                                                                           \
	F(int, p##join, (void *handle, void **result))                                             \
	F(void, p##exit, (void *result))                                                           \
	F(int, p##mutex_lock, (void *mutex))                                                       \
	F(int, p##mutex_trylock, (void *mutex))                                                    \
	F(int, p##mutex_timedlock, (void *mutex, const void *until))                               \
	F(int, p##mutex_unlock, (void *mutex))                                                     \
	F(int, p##cond_wait, (void *cond, void *mutex))                                            \
	F(int, p##cond_timedwait, (void *cond, void *mutex, const void *until))                    \
	F(int, p##cond_signal, (void *cond))                                                       \
	F(int, p##cond_broadcast, (void *cond))                                                    \
	F(int, p##barrier_wait, (void *barrier))                                                   \
	F(int, p##once, (void *once, void (*init)(void)))                                          \
	F(int, p##rwlock_rdlock, (void *lock))                                                     \
	F(int, p##rwlock_tryrdlock, (void *lock))                                                  \
	F(int, p##rwlock_trywrlock, (void *lock))                                                  \
	F(int, p##rwlock_timedrdlock, (void *lock, const void *until))                             \
	F(int, p##rwlock_wrlock, (void *lock))                                                     \
	F(int, p##rwlock_timedwrlock, (void *lock, const void *until))                             \
	F(int, p##rwlock_unlock, (void *lock))                                                     \
	F(void, p##testcancel, (void))

/* As in MTH_SHARED, but their names differ by more than what stands before. */
#define MTH_PTHREAD(F, p)                                                                          \
	MTH_SHARED(F, p##pthread_)                                                                 \
	F(int, p##pthread_create, (void **handle, const void *attr, mth_func func, void *arg))     \
	F(int, p##pthread_tryjoin_np, (void *handle, void **result))                               \
	F(int, p##pthread_timedjoin_np, (void *handle, void **result, const void *until))          \
	F(int, p##sched_yield, (void))                                                             \
	F(unsigned, p##sleep, (unsigned s))                                                        \
	F(int, p##usleep, (unsigned us))                                                           \
	F(int, p##nanosleep, (const void *length, void *left))

#define MTH_IN_TASK(F)                                                                             \
	F(void *, myth_create, (mth_func func, void *arg))                                         \
	F(int, myth_create_ex,                                                                     \
	  (void **handle, const struct mth_attr *attr, mth_func func, void *arg))                  \
	F(void *, myth_create_nosched, (mth_func func, void *arg, const struct mth_attr *attr))    \
	F(int, myth_create_join_many_ex,                                                           \
	  (void *handles, void *attrs, mth_func func, void *args, void *results,                   \
	   size_t handle_stride, size_t attr_stride, size_t arg_stride, size_t result_stride,      \
	   long n))                                                                                \
	F(int, myth_create_join_various_ex,                                                        \
	  (void *handles, void *attrs, mth_func *funcs, void *args, void *results,                 \
	   size_t handle_stride, size_t attr_stride, size_t func_stride, size_t arg_stride,        \
	   size_t result_stride, long n))                                                          \
	F(int, myth_tryjoin, (void *handle, void **result))                                        \
	F(int, myth_timedjoin, (void *handle, void **result, const void *until))                   \
	F(int, myth_init, (void))                                                                  \
	F(int, myth_init_ex, (void *attr))                                                         \
	F(void, myth_fini, (void))

#define MTH_IN_WAIT(F)                                                                             \
	MTH_SHARED(F, myth_)                                                                       \
	F(void, myth_yield, (void))                                                                \
	F(void, myth_yield_ex, (int option))                                                       \
	F(int, myth_sched_yield, (void))                                                           \
	F(unsigned, myth_sleep, (unsigned s))                                                      \
	F(int, myth_usleep, (unsigned us))                                                         \
	F(int, myth_nanosleep, (const void *length, void *left))                                   \
	F(int, myth_join_counter_wait, (void *counter))                                            \
	F(int, myth_join_counter_dec, (void *counter))                                             \
	F(int, myth_felock_lock, (void *lock))                                                     \
	F(int, myth_felock_unlock, (void *lock))                                                   \
	F(int, myth_felock_wait_and_lock, (void *lock, int status))                                \
	F(int, myth_felock_mark_and_signal, (void *lock, int status))                              \
	F(int, myth_uncond_wait, (void *uncond))                                                   \
	F(int, myth_uncond_signal, (void *uncond))

#ifdef MTH_DL /* the shim for libmyth-dl; it has myth_* as well, but those are the other shim's */
#define MTH_FUNCTIONS(F) MTH_PTHREAD(F, )
#else
#define MTH_FUNCTIONS(F)                                                                           \
	MTH_IN_TASK(F)                                                                             \
	MTH_IN_WAIT(F)                                                                             \
	MTH_PTHREAD(F, __wrap_)
#endif

/* Asked, not wrapped: who has it is MassiveThreads. */
#define MTH_ASKED(F) F(int, myth_get_num_workers, (void))
