/* SPDX-License-Identifier: MIT */
/* pth_wait.c - condition variables, semaphores, barriers and the ends of threads. */
#include "shims/pthread/pth.h"

#include "preload/libc.h"
#include "preload/life.h"
#include "preload/module.h"
#include "shims/common/next.h"

#include "preload/poison.h"

/* ---- condition variables: waiting is what they are for ---- */

#define BLOCKS(name, parameters, arguments, wait)                                                  \
	CALL_EXPORT int pth_##name parameters                                                      \
	{                                                                                          \
		struct worker *worker = waiting_worker();                                          \
                                                                                                   \
		if (pth_passes(worker))                                                            \
			return REAL(name) arguments;                                               \
		PTH_WAITING waiting = wait;                                                        \
                                                                                                   \
		return REAL(name) arguments;                                                       \
	}
#define AWAITS(name, parameters, arguments)                                                        \
	BLOCKS(name, parameters, arguments, pth_wait(worker, FROM, WIRE_WAIT_COND, cond, mutex))
#define MEETS(name, parameters, arguments)                                                         \
	BLOCKS(name, parameters, arguments,                                                        \
	       pth_wait(worker, FROM, WIRE_WAIT_THREADS, barrier, NULL))

#ifdef __x86_64__
#define VERSION(name) __asm__(".symver pth_" #name ", pthread_" #name "@@@" PTH_CONDITION_VERSION);
VERSION(cond_wait)
VERSION(cond_timedwait)
VERSION(cond_signal)
VERSION(cond_broadcast)
#endif

PTH_CONDITIONS(PTH_MADE)

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
	LOCKS(name, parameters, arguments, SEM, sem, valid, sem_ask(sem), -1)

/* ---- threads ---- */

/*
 * The strand that makes a thread ends with a signal of its pthread_t, which the thread's root
 * follows, if it gets one.  Only the real function knows that name; and the thread may be over, and
 * have unmapped the memory where it stands, before this one looks there.  What stands there else is
 * the name of no thread.
 */
static uint64_t thread_at(const pthread_t *thread)
{
	return libc_can_read(thread) ? __atomic_load_n(thread, __ATOMIC_RELAXED) : 0;
}

static void thread_made(struct worker *worker, uint64_t ticks, const pthread_t *thread)
{
	record_event_at(worker, ticks, WIRE_SIGNAL, thread_at(thread));
	record_resume(worker, worker->task);
}

#define MAKES(name, parameters, arguments)                                                         \
	static __attribute__((noinline)) int name##_told(struct worker *worker,                    \
							 PTH_BARE parameters)                      \
	{                                                                                          \
		uint64_t ticks = record_ticks(worker);                                             \
		int error = life_lacks(REAL(name) arguments);                                      \
                                                                                                   \
		if (error)                                                                         \
			worker_turn(worker, WORKER_INSIDE);                                        \
		else                                                                               \
			thread_made(worker, ticks, thread);                                        \
		return error;                                                                      \
	}                                                                                          \
	static int name##_from(const void *from, PTH_BARE parameters)                              \
	{                                                                                          \
		struct worker *worker = waiting_worker();                                          \
		uint64_t *early = NULL;                                                            \
		int error;                                                                         \
                                                                                                   \
		if (!worker) {                                                                     \
			early = record_early((uintptr_t)from);                                     \
			worker = record_main((uintptr_t)from);                                     \
		} else if (record_runtime_calls((uintptr_t)from)) {                                \
			worker = NULL;                                                             \
		}                                                                                  \
		if (worker && worker->task)                                                        \
			return name##_told(worker, PTH_BARE arguments);                            \
		error = life_lacks(REAL(name) arguments);                                          \
		if (early && !error) {                                                             \
			*early = thread_at(thread);                                                \
			pth_early = true;                                                          \
		}                                                                                  \
		return error;                                                                      \
	}                                                                                          \
	CALL_EXPORT int pth_##name parameters                                                      \
	{                                                                                          \
		return name##_from(FROM, PTH_BARE arguments);                                      \
	}

/* It is not tried first: libtsan's pthread_tryjoin_np() fails where the thread runs. */
#define JOINS(name, parameters, arguments)                                                         \
	CALL_EXPORT int pth_##name parameters                                                      \
	{                                                                                          \
		struct worker *worker = waiting_worker();                                          \
		int error;                                                                         \
                                                                                                   \
		if (!pth_passes(worker)) {                                                         \
			PTH_WAITING waiting = pth_wait(worker, FROM, WIRE_WAIT_THREAD,             \
						       (const void *)thread, NULL);                \
                                                                                                   \
			return REAL(name) arguments;                                               \
		}                                                                                  \
		error = REAL(name) arguments;                                                      \
		if (error == 0)                                                                    \
			pth_joined(FROM, thread);                                                  \
		return error;                                                                      \
	}

PTH_IN_WAIT(PTH_MADE)

int pthread_create_from(const void *from, pthread_t *thread, const pthread_attr_t *attributes,
			void *(*run)(void *), void *arg)
{
	return create_from(from, thread, attributes, run, arg);
}
