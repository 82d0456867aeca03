/* SPDX-License-Identifier: MIT */
/*
 * pth_functions.h - the functions of pthread.h, semaphore.h and threads.h in which a thread blocks,
 * and those that let it go on.
 *
 * F(result, name here, symbol, parameters).  A prefix of the symbol would be poisoned (poison.h).
 */
#pragma once

#define PTH_FUNCTIONS(F)                                                                           \
	F(int, mutex_lock, "pthread_mutex_lock", (pthread_mutex_t * mutex))                        \
	F(int, mutex_timedlock, "pthread_mutex_timedlock",                                         \
	  (pthread_mutex_t * mutex, const struct timespec *until))                                 \
	F(int, mutex_clocklock, "pthread_mutex_clocklock",                                         \
	  (pthread_mutex_t * mutex, clockid_t clock, const struct timespec *until))                \
	F(int, mutex_unlock, "pthread_mutex_unlock", (pthread_mutex_t * mutex))                    \
	F(int, rwlock_rdlock, "pthread_rwlock_rdlock", (pthread_rwlock_t * lock))                  \
	F(int, rwlock_timedrdlock, "pthread_rwlock_timedrdlock",                                   \
	  (pthread_rwlock_t * lock, const struct timespec *until))                                 \
	F(int, rwlock_clockrdlock, "pthread_rwlock_clockrdlock",                                   \
	  (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until))                \
	F(int, rwlock_wrlock, "pthread_rwlock_wrlock", (pthread_rwlock_t * lock))                  \
	F(int, rwlock_timedwrlock, "pthread_rwlock_timedwrlock",                                   \
	  (pthread_rwlock_t * lock, const struct timespec *until))                                 \
	F(int, rwlock_clockwrlock, "pthread_rwlock_clockwrlock",                                   \
	  (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until))                \
	F(int, rwlock_unlock, "pthread_rwlock_unlock", (pthread_rwlock_t * lock))                  \
	F(int, sem_wait, "sem_wait", (sem_t * sem))                                                \
	F(int, sem_timedwait, "sem_timedwait", (sem_t * sem, const struct timespec *until))        \
	F(int, sem_clockwait, "sem_clockwait",                                                     \
	  (sem_t * sem, clockid_t clock, const struct timespec *until))                            \
	F(int, sem_post, "sem_post", (sem_t * sem))                                                \
	F(int, cond_clockwait, "pthread_cond_clockwait",                                           \
	  (pthread_cond_t * cond, pthread_mutex_t * mutex, clockid_t clock,                        \
	   const struct timespec *until))                                                          \
	F(int, create, "pthread_create",                                                           \
	  (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg)) \
	F(int, thrd_create, "thrd_create", (thrd_t * thread, thrd_start_t run, void *arg))         \
	F(int, join, "pthread_join", (pthread_t thread, void **result))                            \
	F(int, timedjoin, "pthread_timedjoin_np",                                                  \
	  (pthread_t thread, void **result, const struct timespec *until))                         \
	F(int, clockjoin, "pthread_clockjoin_np",                                                  \
	  (pthread_t thread, void **result, clockid_t clock, const struct timespec *until))        \
	F(int, barrier_wait, "pthread_barrier_wait", (pthread_barrier_t * barrier))                \
	F(int, mtx_lock, "mtx_lock", (mtx_t * mutex))                                              \
	F(int, mtx_timedlock, "mtx_timedlock", (mtx_t * mutex, const struct timespec *until))      \
	F(int, mtx_unlock, "mtx_unlock", (mtx_t * mutex))                                          \
	F(int, cnd_wait, "cnd_wait", (cnd_t * cond, mtx_t * mutex))                                \
	F(int, cnd_timedwait, "cnd_timedwait",                                                     \
	  (cnd_t * cond, mtx_t * mutex, const struct timespec *until))                             \
	F(int, cnd_signal, "cnd_signal", (cnd_t * cond))                                           \
	F(int, cnd_broadcast, "cnd_broadcast", (cnd_t * cond))                                     \
	F(int, thrd_join, "thrd_join", (thrd_t thread, int *result))

/*
 * Of these x86-64 has two versions each.  The older one has another condition variable, and is left
 * alone.
 */
#define PTH_CONDITIONS(F)                                                                          \
	F(int, cond_wait, "pthread_cond_wait", (pthread_cond_t * cond, pthread_mutex_t * mutex))   \
	F(int, cond_timedwait, "pthread_cond_timedwait",                                           \
	  (pthread_cond_t * cond, pthread_mutex_t * mutex, const struct timespec *until))          \
	F(int, cond_signal, "pthread_cond_signal", (pthread_cond_t * cond))                        \
	F(int, cond_broadcast, "pthread_cond_broadcast", (pthread_cond_t * cond))

/* Asked first, not wrapped. */
#define PTH_ASKED(F)                                                                               \
	F(int, mutex_trylock, "pthread_mutex_trylock", (pthread_mutex_t * mutex))                  \
	F(int, rwlock_tryrdlock, "pthread_rwlock_tryrdlock", (pthread_rwlock_t * lock))            \
	F(int, rwlock_trywrlock, "pthread_rwlock_trywrlock", (pthread_rwlock_t * lock))            \
	F(int, sem_trywait, "sem_trywait", (sem_t * sem))                                          \
	F(int, mtx_trylock, "mtx_trylock", (mtx_t * mutex))                                        \
	F(void, testcancel, "pthread_testcancel", (void))
