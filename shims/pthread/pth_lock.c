/* SPDX-License-Identifier: MIT */
/* pth_lock.c - mutexes and read-write locks, those of C11 too. */
#include "shims/pthread/pth.h"

#include "preload/poison.h"

/*
 * Robust mutexes are not tried: where one is not recoverable any more, pthread_mutex_trylock() says
 * so, but keeps it locked for good.  [nptl/pthread_mutex_trylock.c, glibc 2.4 on]
 */
#define ROBUST 16 /* PTHREAD_MUTEX_ROBUST_NORMAL_NP */

static inline bool mutex_may_ask(const pthread_mutex_t *mutex)
{
	return !(mutex->__data.__kind & ROBUST) || mutex->__data.__lock;
}

static inline int mutex_ask(pthread_mutex_t *mutex)
{
	return mutex->__data.__kind & ROBUST ? EBUSY : REAL(mutex_trylock)(mutex);
}

LOCKS(MUTEX, mutex_lock, (pthread_mutex_t * mutex), (mutex), mutex, mutex_may_ask(mutex),
      mutex_ask(mutex), EBUSY)
LOCKS(MUTEX, mutex_timedlock, (pthread_mutex_t * mutex, UNTIL), (mutex, until), mutex,
      mutex_may_ask(mutex), mutex_ask(mutex), EBUSY)
LOCKS(MUTEX, mutex_clocklock, (pthread_mutex_t * mutex, clockid_t clock, UNTIL),
      (mutex, clock, until), mutex, pth_clock_known(clock) && mutex_may_ask(mutex),
      mutex_ask(mutex), EBUSY)
RELEASES(mutex_unlock, (pthread_mutex_t * mutex), (mutex), mutex)

LOCKS(RWLOCK, rwlock_rdlock, (pthread_rwlock_t * lock), (lock), lock, true,
      REAL(rwlock_tryrdlock)(lock), EBUSY)
LOCKS(RWLOCK, rwlock_timedrdlock, (pthread_rwlock_t * lock, UNTIL), (lock, until), lock,
      pth_time_valid(until), REAL(rwlock_tryrdlock)(lock), EBUSY)
LOCKS(RWLOCK, rwlock_clockrdlock, (pthread_rwlock_t * lock, clockid_t clock, UNTIL),
      (lock, clock, until), lock, pth_clock_known(clock) && pth_time_valid(until),
      REAL(rwlock_tryrdlock)(lock), EBUSY)
LOCKS(RWLOCK, rwlock_wrlock, (pthread_rwlock_t * lock), (lock), lock, true,
      REAL(rwlock_trywrlock)(lock), EBUSY)
LOCKS(RWLOCK, rwlock_timedwrlock, (pthread_rwlock_t * lock, UNTIL), (lock, until), lock,
      pth_time_valid(until), REAL(rwlock_trywrlock)(lock), EBUSY)
LOCKS(RWLOCK, rwlock_clockwrlock, (pthread_rwlock_t * lock, clockid_t clock, UNTIL),
      (lock, clock, until), lock, pth_clock_known(clock) && pth_time_valid(until),
      REAL(rwlock_trywrlock)(lock), EBUSY)
RELEASES(rwlock_unlock, (pthread_rwlock_t * lock), (lock), lock)

LOCKS(MUTEX, mtx_lock, (mtx_t * mutex), (mutex), mutex, true, REAL(mtx_trylock)(mutex), thrd_busy)
LOCKS(MUTEX, mtx_timedlock, (mtx_t * mutex, UNTIL), (mutex, until), mutex, true,
      REAL(mtx_trylock)(mutex), thrd_busy)
RELEASES(mtx_unlock, (mtx_t * mutex), (mutex), mutex)
