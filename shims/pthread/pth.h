/* SPDX-License-Identifier: MIT */
/*
 * pth.h - what the wrappers of pthread's locks share: the real functions, and the worker.
 *
 * These are no runtime's: any thread calls them, runtimes and libc's malloc() too.  A wrapper only
 * records where the thread runs a strand (WORKER_INSIDE), for the program's own code in a task, or
 * is main() that made threads before anything was recorded.  Else it passes the call on.
 *
 * It tries first: a lock that is free costs one load of the thread's worker more, no event and no
 * clock.  Only what would block ends the strand.  A release asks whether a task waits.  What a
 * runtime's library calls is passed on even then (pth.c).
 *
 * Facts [glibc 2.36, nptl/]: where a try succeeds, or fails by another error than EBUSY, the plain
 * call has the same result.  sem_wait() and the like act upon a pending cancellation before they
 * look at the semaphore.  Timed locks of rwlocks and semaphores check the time first, those of
 * mutexes only if they block; all check the clock first.  A call with an invalid time or clock is
 * passed on.  A thread that is cancelled leaves cond_wait(), sem_wait() and join() by unwinding
 * through the wrapper.
 */
#pragma once

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <threads.h>
#include <time.h>

#include "shims/common/waiters.h"
#include "shims/pthread/pth_functions.h"

#define PTH_POINTER(result, name, symbol, parameters, ...) result(*name) parameters;
#define PTH_WRAPPER(result, name, symbol, parameters, ...)                                         \
	CALL_EXPORT result pth_##name parameters __asm__(symbol);
#ifdef __x86_64__ /* .symver gives them name and version */
#define PTH_CONDITION(result, name, symbol, parameters, ...)                                       \
	CALL_EXPORT result pth_##name parameters;
#define PTH_CONDITION_VERSION "GLIBC_2.3.2"
#else
#define PTH_CONDITION PTH_WRAPPER
#define PTH_CONDITION_VERSION NULL
#endif

#define PTH_MADE(result, name, symbol, parameters, makes, ...) makes(name, parameters, __VA_ARGS__)

/* libc's functions, or those of the next who stands before it. */
struct pth {
	PTH_FUNCTIONS(PTH_POINTER)
	PTH_CONDITIONS(PTH_POINTER)
	PTH_ASKED(PTH_POINTER)
};
extern struct pth pth_real CALL_HIDDEN;
PTH_FUNCTIONS(PTH_WRAPPER)
PTH_CONDITIONS(PTH_CONDITION)

/* Looks all of them up.  Any thread; it may run within a malloc() that the look-up calls. */
void pth_bind(void) CALL_HIDDEN;

/* Hot path: the real function; malloc() may lock before any constructor has run. */
#define REAL(name)                                                                                 \
	(*(__builtin_expect(pth_real.name != NULL, 1) ? pth_real.name                              \
						      : (pth_bind(), pth_real.name)))

/* The main thread made a thread before anything was recorded: it has a worker once something is. */
extern __thread bool pth_early CALL_HIDDEN __attribute__((tls_model("initial-exec")));

/* Hot path: whether the call is passed on: there is nobody whose strand might call. */
static inline bool pth_passes(const struct worker *worker)
{
	return __builtin_expect(!worker, 1) &&
	       (!pth_early || (worker_self() && worker_self()->task));
}

/* The worker's task, or main() before anything is recorded, is about to block: at `from`; if that
 * is a runtime's library the result's task is 0.  mutex: it releases that meanwhile; or NULL. */
#define PTH_WAITING __attribute__((cleanup(pth_wait_end), unused)) struct waiting
void pth_wait_end(struct waiting *waiting) CALL_HIDDEN;
struct waiting pth_wait(struct worker *worker, const void *from, enum wire_wait wait,
			const void *object, const void *mutex) CALL_HIDDEN;

/* It releases the object, for which a task may wait; waiting_released() comes after. */
struct waiting pth_release(struct worker *worker, const void *from, const void *object) CALL_HIDDEN;

/* The calling thread, which is in no task, has joined that one. */
void pth_joined(const void *from, uint64_t thread) CALL_HIDDEN;

#define FROM __builtin_return_address(0)

static inline bool pth_clock_known(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

/* NULL: no limit, or the real function's affair. */
static inline bool pth_time_valid(const struct timespec *until)
{
	return !until || (until->tv_nsec >= 0 && until->tv_nsec < 1000000000);
}

static inline bool pth_until_valid(clockid_t clock, const struct timespec *until)
{
	return pth_clock_known(clock) && pth_time_valid(until);
}

/*
 * The wrapper of a function that takes `object`.  If it is not `valid` to ask, the call is passed
 * on; `asks` only tries, and `busy` is what that says if it would have to wait.
 */
#define LOCKS(name, parameters, arguments, kind, object, valid, asks, busy)                        \
	static __attribute__((noinline)) int name##_waits(struct worker *worker, const void *from, \
							  PTH_BARE parameters)                     \
	{                                                                                          \
		PTH_WAITING waiting = pth_wait(worker, from, WIRE_WAIT_##kind, object, NULL);      \
                                                                                                   \
		return REAL(name) arguments;                                                       \
	}                                                                                          \
	CALL_EXPORT int pth_##name parameters                                                      \
	{                                                                                          \
		struct worker *worker = waiting_worker();                                          \
		int error;                                                                         \
                                                                                                   \
		if (pth_passes(worker) || !(valid))                                                \
			return REAL(name) arguments;                                               \
		error = (asks);                                                                    \
		if (__builtin_expect(error != (busy), 1))                                          \
			return error;                                                              \
		return name##_waits(worker, FROM, PTH_BARE arguments);                             \
	}

/* The wrapper of a function that releases `object`. */
#define RELEASES(name, parameters, arguments, object)                                              \
	static __attribute__((noinline)) int name##_told(struct worker *worker, const void *from,  \
							 PTH_BARE parameters)                      \
	{                                                                                          \
		struct waiting released = pth_release(worker, from, object);                       \
		int error = REAL(name) arguments;                                                  \
                                                                                                   \
		waiting_released(&released);                                                       \
		return error;                                                                      \
	}                                                                                          \
	CALL_EXPORT int pth_##name parameters                                                      \
	{                                                                                          \
		struct worker *worker;                                                             \
                                                                                                   \
		if (__builtin_expect(!waiting_for(object), 1) ||                                   \
		    pth_passes(worker = waiting_worker()))                                         \
			return REAL(name) arguments;                                               \
		return name##_told(worker, FROM, PTH_BARE arguments);                              \
	}
#define PTH_BARE(...) __VA_ARGS__
