/* SPDX-License-Identifier: MIT */
/*
 * ult.h - a small core of user-level threads, on which the stand-ins for runtimes are built.
 *
 * For tests where the real runtime isn't installed.  It is meant to be correct and to move threads
 * from worker to worker as often as a real one does under load, and not to be fast.
 *
 *	worker	an OS thread, 0..n-1, with a deque of ready threads.  It takes its own youngest
 *		first and steals another's oldest.  Worker 0 is the thread that called ult_start()
 *	thread	a stack of its own, with a guard page below, and where it stands.  After each call
 *		marked "moves" it may run on another worker: keep no address of thread-local
 *		memory over it (errno's neither)
 *
 * ULT_MIGRATE in the environment says how often a thread that becomes ready (woken, yielding, or
 * passed over for its child) is handed to another worker than the one that made it ready, which
 * then can't have it back: 0 never, 1 always, else, and if it isn't set, one time in eight.  The
 * rest moves when it is stolen.
 *
 * What waits and what joins is left to the runtime above: all is built on ult_park() and
 * ult_wake().  A typical lock: take a spin lock, put ult_self() on the list of who waits, release
 * it, ult_park(); who unlocks takes a thread off the list and wakes it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ULT_EXPORT __attribute__((visibility("default"))) /* of a stand-in's public functions */
#define ULT_STACK_MIN 16384u

struct ult;
typedef void (*ult_fn)(void *arg);

/*
 * Starts n_workers - 1 OS threads; the caller becomes a thread on worker 0 and has `arg` as its
 * argument.  stack_bytes is what ult_make() takes for 0.  0 or -errno.
 */
int ult_start(uint32_t n_workers, size_t stack_bytes, void *arg);

/*
 * To be called by the thread that called ult_start(): returns on the OS thread that did, with the
 * other workers gone.  Threads that have not ended by then are forgotten; none may be running
 * without ever yielding.  ult_start() may be called again.
 */
void ult_stop(void);

bool ult_started(void);
uint32_t ult_n_workers(void); /* 0 before the start */
uint32_t ult_worker(void);    /* where the caller runs; UINT32_MAX if on no worker */

/* The calling thread; NULL on an OS thread that is no worker. */
struct ult *ult_self(void);

/* A thread's argument: the runtime above keeps its own descriptor there. */
void *ult_arg(const struct ult *ult);

/*
 * Makes a thread that is parked before fn(arg), with at least that much stack (0: the default);
 * NULL if there is no memory.  It is freed after it has returned from fn or called ult_exit().
 * Then its pointer is good for nothing, so that who made it must not use it once it was woken.
 */
struct ult *ult_make(ult_fn fn, void *arg, size_t stack_bytes);

/*
 * Makes a parked thread ready: the caller goes on, the thread runs when a worker gets at it
 * (help-first).  If it is not parked, its next ult_park() returns at once; one such wake is kept.
 * From any OS thread.
 */
void ult_wake(struct ult *ult);

/* The same, but it is this worker that resumes it: nobody can steal it before. */
void ult_wake_on(struct ult *ult, uint32_t worker);

/*
 * Moves.  Runs a thread just made, at once and on this OS thread (child-first); the caller is ready
 * and may be stolen before this returns.  On an OS thread that is no worker it is ult_wake().
 */
void ult_run(struct ult *child);

/* Moves.  Sleeps until woken.  Only threads may park. */
void ult_park(void);

/* Moves.  Lets the others of this worker go first; on no worker it gives up the processor. */
void ult_yield(void);

/* Moves: returns on this worker. */
void ult_move(uint32_t worker);

/* Ends the calling thread, from however deep; not the one that called ult_start(). */
__attribute__((noreturn)) void ult_exit(void);

/* A lock held for a few instructions, and never over a call that moves.  Zero is unlocked. */
struct ult_lock {
	_Atomic uint32_t held;
};
void ult_lock_acquire(struct ult_lock *lock);
void ult_lock_release(struct ult_lock *lock);
