/* SPDX-License-Identifier: MIT */
/* pth_wait.c - condition variables, semaphores, barriers and the ends of threads. */
#include "shims/pthread/pth.h"

#include "preload/poison.h"

/* ---- condition variables: waiting is what they are for ---- */

#define AWAITS(name, parameters, arguments)                                                        \
	CALL_EXPORT int pth_##name parameters                                                      \
	{                                                                                          \
		struct worker *worker = waiting_worker();                                          \
                                                                                                   \
		if (!worker)                                                                       \
			return REAL(name) arguments;                                               \
		WAITING waiting = pth_wait_without(worker, FROM, mutex, cond);                     \
                                                                                                   \
		return REAL(name) arguments;                                                       \
	}

AWAITS(cond_wait, (pthread_cond_t * cond, pthread_mutex_t *mutex), (cond, mutex))
AWAITS(cond_timedwait, (pthread_cond_t * cond, pthread_mutex_t *mutex, UNTIL), (cond, mutex, until))
AWAITS(cond_clockwait, (pthread_cond_t * cond, pthread_mutex_t *mutex, clockid_t clock, UNTIL),
       (cond, mutex, clock, until))
AWAITS(cnd_wait, (cnd_t * cond, mtx_t *mutex), (cond, mutex))
AWAITS(cnd_timedwait, (cnd_t * cond, mtx_t *mutex, UNTIL), (cond, mutex, until))
RELEASES(cond_signal, (pthread_cond_t * cond), (cond), cond)
RELEASES(cond_broadcast, (pthread_cond_t * cond), (cond), cond)
RELEASES(cnd_signal, (cnd_t * cond), (cond), cond)
RELEASES(cnd_broadcast, (cnd_t * cond), (cond), cond)

#ifdef PTH_CONDITION_VERSION
#define VERSION(name) __asm__(".symver pth_" #name ", pthread_" #name "@@@" PTH_CONDITION_VERSION);
VERSION(cond_wait)
VERSION(cond_timedwait)
VERSION(cond_signal)
VERSION(cond_broadcast)
#endif

/* ---- semaphores ---- */

/* Whether the semaphore was down: else -1, and errno as before.  A cancellation comes first. */
static inline int sem_ask(sem_t *sem)
{
	int saved = errno;

	REAL(testcancel)();
	if (REAL(sem_trywait)(sem) == 0)
		return 0;
	errno = saved;
	return -1;
}

#define DOWNS(name, parameters, arguments, valid)                                                  \
	LOCKS(SEM, name, parameters, arguments, sem, valid, sem_ask(sem), -1)

DOWNS(sem_wait, (sem_t * sem), (sem), true)
DOWNS(sem_timedwait, (sem_t * sem, UNTIL), (sem, until), pth_time_valid(until))
DOWNS(sem_clockwait, (sem_t * sem, clockid_t clock, UNTIL), (sem, clock, until),
      pth_clock_known(clock) && pth_time_valid(until))
RELEASES(sem_post, (sem_t * sem), (sem), sem)

/* ---- threads ---- */

/* It is not tried first: libtsan's pthread_tryjoin_np() fails where the thread runs. */
#define BLOCKS(kind, name, parameters, arguments, object)                                          \
	CALL_EXPORT int pth_##name parameters                                                      \
	{                                                                                          \
		struct worker *worker = waiting_worker();                                          \
                                                                                                   \
		if (!worker)                                                                       \
			return REAL(name) arguments;                                               \
		WAITING waiting =                                                                  \
			pth_wait(worker, FROM, WIRE_WAIT_##kind, (const void *)(object));          \
                                                                                                   \
		return REAL(name) arguments;                                                       \
	}

BLOCKS(THREAD, join, (pthread_t thread, void **result), (thread, result), thread)
BLOCKS(THREAD, timedjoin, (pthread_t thread, void **result, UNTIL), (thread, result, until), thread)
BLOCKS(THREAD, clockjoin, (pthread_t thread, void **result, clockid_t clock, UNTIL),
       (thread, result, clock, until), thread)
BLOCKS(THREAD, thrd_join, (thrd_t thread, int *result), (thread, result), thread)
BLOCKS(THREADS, barrier_wait, (pthread_barrier_t * barrier), (barrier), barrier)
