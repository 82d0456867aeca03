/* SPDX-License-Identifier: MIT */
/*
 * mth_functions.h - MassiveThreads' entry points that are wrapped, with their prototypes.
 *
 * The runtime comes under three sets of names: libmyth has myth_*, libmyth-ld has __wrap_pthread_*
 * besides, to which a program's calls are linked by ld --wrap, and libmyth-dl has pthread_*
 * itself.  What the three do is the same (MTH_SHARED); a pthread_t is then a handle.
 */
#pragma once

#define MTH_SHARED(p)                                                                              \
	MTH_FUNCTION(int, p##join, (void *handle, void **result))                                  \
	MTH_FUNCTION(void, p##exit, (void *result))                                                \
	MTH_FUNCTION(int, p##mutex_lock, (void *mutex))                                            \
	MTH_FUNCTION(int, p##mutex_timedlock, (void *mutex, const void *until))                    \
	MTH_FUNCTION(int, p##mutex_unlock, (void *mutex))                                          \
	MTH_FUNCTION(int, p##cond_wait, (void *cond, void *mutex))                                 \
	MTH_FUNCTION(int, p##cond_timedwait, (void *cond, void *mutex, const void *until))         \
	MTH_FUNCTION(int, p##cond_signal, (void *cond))                                            \
	MTH_FUNCTION(int, p##cond_broadcast, (void *cond))                                         \
	MTH_FUNCTION(int, p##barrier_wait, (void *barrier))                                        \
	MTH_FUNCTION(int, p##once, (void *once, void (*init)(void)))                               \
	MTH_FUNCTION(int, p##rwlock_rdlock, (void *lock))                                          \
	MTH_FUNCTION(int, p##rwlock_timedrdlock, (void *lock, const void *until))                  \
	MTH_FUNCTION(int, p##rwlock_wrlock, (void *lock))                                          \
	MTH_FUNCTION(int, p##rwlock_timedwrlock, (void *lock, const void *until))                  \
	MTH_FUNCTION(int, p##rwlock_unlock, (void *lock))                                          \
	MTH_FUNCTION(void, p##testcancel, (void))

/* As in MTH_SHARED, but their names differ by more than what stands before. */
#define MTH_PTHREAD(p)                                                                             \
	MTH_SHARED(p##pthread_)                                                                    \
	MTH_FUNCTION(int, p##pthread_create,                                                       \
		     (void **handle, const void *attr, mth_func func, void *arg))                  \
	MTH_FUNCTION(int, p##pthread_tryjoin_np, (void *handle, void **result))                    \
	MTH_FUNCTION(int, p##pthread_timedjoin_np,                                                 \
		     (void *handle, void **result, const void *until))                             \
	MTH_FUNCTION(int, p##sched_yield, (void))                                                  \
	MTH_FUNCTION(unsigned, p##sleep, (unsigned s))                                             \
	MTH_FUNCTION(int, p##usleep, (unsigned us))                                                \
	MTH_FUNCTION(int, p##nanosleep, (const void *length, void *left))

#define MTH_NATIVE                                                                                 \
	MTH_SHARED(myth_)                                                                          \
	MTH_FUNCTION(void *, myth_create, (mth_func func, void *arg))                              \
	MTH_FUNCTION(int, myth_create_ex,                                                          \
		     (void **handle, const struct mth_attr *attr, mth_func func, void *arg))       \
	MTH_FUNCTION(void *, myth_create_nosched,                                                  \
		     (mth_func func, void *arg, const struct mth_attr *attr))                      \
	MTH_FUNCTION(int, myth_create_join_many_ex,                                                \
		     (void *handles, void *attrs, mth_func func, void *args, void *results,        \
		      size_t handle_stride, size_t attr_stride, size_t arg_stride,                 \
		      size_t result_stride, long n))                                               \
	MTH_FUNCTION(int, myth_create_join_various_ex,                                             \
		     (void *handles, void *attrs, mth_func *funcs, void *args, void *results,      \
		      size_t handle_stride, size_t attr_stride, size_t func_stride,                \
		      size_t arg_stride, size_t result_stride, long n))                            \
	MTH_FUNCTION(int, myth_tryjoin, (void *handle, void **result))                             \
	MTH_FUNCTION(int, myth_timedjoin, (void *handle, void **result, const void *until))        \
	MTH_FUNCTION(void, myth_yield, (void))                                                     \
	MTH_FUNCTION(void, myth_yield_ex, (int option))                                            \
	MTH_FUNCTION(int, myth_sched_yield, (void))                                                \
	MTH_FUNCTION(unsigned, myth_sleep, (unsigned s))                                           \
	MTH_FUNCTION(int, myth_usleep, (unsigned us))                                              \
	MTH_FUNCTION(int, myth_nanosleep, (const void *length, void *left))                        \
	MTH_FUNCTION(int, myth_join_counter_wait, (void *counter))                                 \
	MTH_FUNCTION(int, myth_join_counter_dec, (void *counter))                                  \
	MTH_FUNCTION(int, myth_felock_lock, (void *lock))                                          \
	MTH_FUNCTION(int, myth_felock_unlock, (void *lock))                                        \
	MTH_FUNCTION(int, myth_felock_wait_and_lock, (void *lock, int status))                     \
	MTH_FUNCTION(int, myth_felock_mark_and_signal, (void *lock, int status))                   \
	MTH_FUNCTION(int, myth_uncond_wait, (void *uncond))                                        \
	MTH_FUNCTION(int, myth_uncond_signal, (void *uncond))                                      \
	MTH_FUNCTION(int, myth_init, (void))                                                       \
	MTH_FUNCTION(int, myth_init_ex, (void *attr))                                              \
	MTH_FUNCTION(void, myth_fini, (void))                                                      \
	/* asked, not wrapped */                                                                   \
	MTH_FUNCTION(int, myth_get_num_workers, (void))

#ifdef MTH_DL /* the shim for libmyth-dl; it has myth_* as well, but those are the other shim's */
#define MTH_FUNCTIONS                                                                              \
	MTH_PTHREAD()                                                                              \
	/* asked, not wrapped: who has it is MassiveThreads */                                     \
	MTH_FUNCTION(int, myth_get_num_workers, (void))
#else
#define MTH_FUNCTIONS                                                                              \
	MTH_NATIVE                                                                                 \
	MTH_PTHREAD(__wrap_)
#endif
