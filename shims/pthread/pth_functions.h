/* SPDX-License-Identifier: MIT */
/*
 * pth_functions.h - the functions of pthread.h, semaphore.h and threads.h in which a thread blocks,
 * and those that let it go on.
 *
 * F(result, name here, symbol, parameters, what makes the wrapper, ..).  A prefix of the symbol
 * would be poisoned (poison.h).
 */
#pragma once

#define UNTIL const struct timespec *until
#define PTH_MUTEX pthread_mutex_t *mutex
#define PTH_RWLOCK pthread_rwlock_t *lock
#define PTH_COND pthread_cond_t *cond

/* clang-format off */
#define PTH_IN_LOCK(F) \
	F(int, mutex_lock, "pthread_mutex_lock", (PTH_MUTEX), LOCKS_MUTEX, (mutex), true) \
	F(int, mutex_timedlock, "pthread_mutex_timedlock", (PTH_MUTEX, UNTIL), \
	  LOCKS_MUTEX, (mutex, until), true) \
	F(int, mutex_clocklock, "pthread_mutex_clocklock", (PTH_MUTEX, clockid_t clock, UNTIL), \
	  LOCKS_MUTEX, (mutex, clock, until), pth_clock_known(clock)) \
	F(int, mutex_unlock, "pthread_mutex_unlock", (PTH_MUTEX), RELEASES, (mutex), mutex) \
	F(int, rwlock_rdlock, "pthread_rwlock_rdlock", (PTH_RWLOCK), \
	  LOCKS_RWLOCK, (lock), true, rwlock_tryrdlock) \
	F(int, rwlock_timedrdlock, "pthread_rwlock_timedrdlock", (PTH_RWLOCK, UNTIL), \
	  LOCKS_RWLOCK, (lock, until), pth_time_valid(until), rwlock_tryrdlock) \
	F(int, rwlock_clockrdlock, "pthread_rwlock_clockrdlock", \
	  (PTH_RWLOCK, clockid_t clock, UNTIL), \
	  LOCKS_RWLOCK, (lock, clock, until), pth_until_valid(clock, until), rwlock_tryrdlock) \
	F(int, rwlock_wrlock, "pthread_rwlock_wrlock", (PTH_RWLOCK), \
	  LOCKS_RWLOCK, (lock), true, rwlock_trywrlock) \
	F(int, rwlock_timedwrlock, "pthread_rwlock_timedwrlock", (PTH_RWLOCK, UNTIL), \
	  LOCKS_RWLOCK, (lock, until), pth_time_valid(until), rwlock_trywrlock) \
	F(int, rwlock_clockwrlock, "pthread_rwlock_clockwrlock", \
	  (PTH_RWLOCK, clockid_t clock, UNTIL), \
	  LOCKS_RWLOCK, (lock, clock, until), pth_until_valid(clock, until), rwlock_trywrlock) \
	F(int, rwlock_unlock, "pthread_rwlock_unlock", (PTH_RWLOCK), RELEASES, (lock), lock) \
	F(int, mtx_lock, "mtx_lock", (mtx_t *mutex), LOCKS_MTX, (mutex)) \
	F(int, mtx_timedlock, "mtx_timedlock", (mtx_t *mutex, UNTIL), LOCKS_MTX, (mutex, until)) \
	F(int, mtx_unlock, "mtx_unlock", (mtx_t *mutex), RELEASES, (mutex), mutex)

#define PTH_IN_WAIT(F) \
	F(int, sem_wait, "sem_wait", (sem_t *sem), DOWNS, (sem), true) \
	F(int, sem_timedwait, "sem_timedwait", (sem_t *sem, UNTIL), \
	  DOWNS, (sem, until), pth_time_valid(until)) \
	F(int, sem_clockwait, "sem_clockwait", (sem_t *sem, clockid_t clock, UNTIL), \
	  DOWNS, (sem, clock, until), pth_until_valid(clock, until)) \
	F(int, sem_post, "sem_post", (sem_t *sem), RELEASES, (sem), sem) \
	F(int, cond_clockwait, "pthread_cond_clockwait", \
	  (PTH_COND, PTH_MUTEX, clockid_t clock, UNTIL), \
	  AWAITS, (cond, mutex, clock, until)) \
	F(int, cnd_wait, "cnd_wait", (cnd_t *cond, mtx_t *mutex), AWAITS, (cond, mutex)) \
	F(int, cnd_timedwait, "cnd_timedwait", (cnd_t *cond, mtx_t *mutex, UNTIL), \
	  AWAITS, (cond, mutex, until)) \
	F(int, cnd_signal, "cnd_signal", (cnd_t *cond), RELEASES, (cond), cond) \
	F(int, cnd_broadcast, "cnd_broadcast", (cnd_t *cond), RELEASES, (cond), cond) \
	F(int, create, "pthread_create", \
	  (pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg), \
	  MAKES, (thread, attributes, run, arg)) \
	F(int, thrd_create, "thrd_create", (thrd_t *thread, thrd_start_t run, void *arg), \
	  MAKES, (thread, run, arg)) \
	F(int, join, "pthread_join", (pthread_t thread, void **result), JOINS, (thread, result)) \
	F(int, timedjoin, "pthread_timedjoin_np", (pthread_t thread, void **result, UNTIL), \
	  JOINS, (thread, result, until)) \
	F(int, clockjoin, "pthread_clockjoin_np", \
	  (pthread_t thread, void **result, clockid_t clock, UNTIL), \
	  JOINS, (thread, result, clock, until)) \
	F(int, thrd_join, "thrd_join", (thrd_t thread, int *result), JOINS, (thread, result)) \
	F(int, barrier_wait, "pthread_barrier_wait", (pthread_barrier_t *barrier), \
	  MEETS, (barrier))

/*
 * Of these x86-64 has two versions each.  The older one has another condition variable, and is left
 * alone.
 */
#define PTH_CONDITIONS(F) \
	F(int, cond_wait, "pthread_cond_wait", (PTH_COND, PTH_MUTEX), AWAITS, (cond, mutex)) \
	F(int, cond_timedwait, "pthread_cond_timedwait", (PTH_COND, PTH_MUTEX, UNTIL), \
	  AWAITS, (cond, mutex, until)) \
	F(int, cond_signal, "pthread_cond_signal", (PTH_COND), RELEASES, (cond), cond) \
	F(int, cond_broadcast, "pthread_cond_broadcast", (PTH_COND), RELEASES, (cond), cond)

#define PTH_FUNCTIONS(F) PTH_IN_LOCK(F) PTH_IN_WAIT(F)

/* Asked first, not wrapped. */
#define PTH_ASKED(F) \
	F(int, mutex_trylock, "pthread_mutex_trylock", (PTH_MUTEX)) \
	F(int, rwlock_tryrdlock, "pthread_rwlock_tryrdlock", (PTH_RWLOCK)) \
	F(int, rwlock_trywrlock, "pthread_rwlock_trywrlock", (PTH_RWLOCK)) \
	F(int, sem_trywait, "sem_trywait", (sem_t *sem)) \
	F(int, mtx_trylock, "mtx_trylock", (mtx_t *mutex)) \
	F(void, testcancel, "pthread_testcancel", (void))
/* clang-format on */
