/* SPDX-License-Identifier: MIT */
/*
 * drain_thread.h - the threads of one drain, which take its workers' chunks beside each other.
 *
 * Thread 0 is the one that drains.  The others are started once there are workers for them, one
 * thread for THREAD_WORKERS workers, and run only inside drain_threads_run(), while thread 0 does
 * the same.  So between two calls all of a drain belongs to thread 0, and what it does then
 * (definitions, snapshots, ends) knows of one thread only.  Inside a call a thread owns its struct
 * drain_thread and the streams that it has claimed (stream.h), one after the other; all threads
 * share the trace, under `lock`.  No worker belongs to a thread: who has time takes
 * the next stream, or one thread would wait for the other whenever some workers are busier.
 *
 * Each thread collapses with its own tables.  If memory or threads run out and one cannot be
 * started, the others take its workers.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "collector/drain/pending.h"
#include "collector/trace/encode.h"

#define DRAIN_THREADS_MAX 64u
#define THREAD_WORKERS 16u
#define PENDING_SLOTS_ALL (256u << 10) /* 4 MiB; a buffer has at least PENDING_SLOTS_SHARED */

struct drain;

/* How a collector starts a thread and awaits its end; each 0 or an error. */
struct thread_calls {
	int (*start)(pthread_t *thread, void *(*run)(void *), void *arg);
	int (*join)(pthread_t thread, void **value);
};

struct drain_thread {
	struct drain *drain;
	uint32_t index; /* in drain_threads.at */
	struct encoder *encoder;
	struct collapse *collapse; /* NULL: events go to the file as they are */
	struct pending_spare spare;
	struct encode_source block; /* of a stream that it has, .. */
	uint32_t n_block;	    /* .. and how many events are packed in it */
	uint64_t cpu_ns;   /* that it took in the work; thread 0: for the drain */
	uint64_t n_tasks;  /* that it put into the trace, collapsed ones as well */
	pthread_t pthread; /* not of thread 0; .. */
	uint32_t turn;	   /* .. the last that it knows of */
};

typedef void drain_work(struct drain_thread *thread, const void *arg);

struct drain_threads {
	struct drain_thread *at[DRAIN_THREADS_MAX]; /* n of them */
	uint32_t n, n_most;
	uint32_t pending_slots; /* of each pending buffer at most */
	struct thread_calls calls;
	uint64_t failed_ns; /* when none could be started last; 0: never */
	drain_work *work;
	const void *arg;
	_Atomic uint32_t turn;	/* futex: bumped when there is work */
	_Atomic uint32_t busy;	/* futex: threads, besides thread 0, that are not done */
	_Atomic uint32_t first; /* that have not done their part, if they run at once */
	_Atomic uint32_t lock;	/* futex.h */
	_Atomic bool ending;
};

/* Makes thread 0.  0 or -ENOMEM; then, too, drain_threads_close() frees it. */
int drain_threads_open(struct drain *drain, uint32_t pending_slots, bool collapses);

/* Up to n_most threads run from now on, started so; before, there is one. */
void drain_threads_allow(struct drain_threads *threads, const struct thread_calls *calls,
			 uint32_t n_most);

/* Starts those that so many workers want, or `wished` of them if that is not 0. */
void drain_threads_grow(struct drain *drain, uint32_t n_workers, uint32_t wished);

/* Does the work for all threads; `apart`: each does its own, at the same time. */
void drain_threads_run(struct drain_threads *threads, drain_work *work, const void *arg,
		       bool apart);

/* In the work, once: this thread has done its part.  Then: whether others have not, so that it may
 * do more meanwhile. */
void drain_threads_done(struct drain_threads *threads);
static inline bool drain_threads_linger(const struct drain_threads *threads)
{
	return atomic_load_explicit(&threads->first, memory_order_relaxed) != 0;
}

/* CPU time of the calling thread, whoever has a clock_gettime() of his own. */
uint64_t drain_thread_cpu_ns(void);

/* Before the threads run: each worker's pending buffer gets its part of PENDING_SLOTS_ALL. */
void drain_threads_share(struct drain_threads *threads, uint32_t n_workers);

/* Tasks that all threads put into the trace. */
uint64_t drain_threads_tasks(const struct drain_threads *threads);

/* Ends the threads and frees all; zeroed ones are fine. */
void drain_threads_close(struct drain_threads *threads);
