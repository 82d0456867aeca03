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

#define LOCKS_MUTEX(name, parameters, arguments, valid)                                            \
	LOCKS(name, parameters, arguments, MUTEX, mutex, (valid) && mutex_may_ask(mutex),          \
	      mutex_ask(mutex), EBUSY)
#define LOCKS_RWLOCK(name, parameters, arguments, valid, try)                                      \
	LOCKS(name, parameters, arguments, RWLOCK, lock, valid, REAL(try)(lock), EBUSY)
#define LOCKS_MTX(name, parameters, arguments)                                                     \
	LOCKS(name, parameters, arguments, MUTEX, mutex, true, REAL(mtx_trylock)(mutex), thrd_busy)

PTH_IN_LOCK(PTH_MADE)
