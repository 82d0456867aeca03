/* SPDX-License-Identifier: MIT */
/* drain_thread.c - starts the threads of a drain, and has them work together. */
#include "collector/drain/drain_thread.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "collector/collapse/collapse.h"
#include "collector/drain/drain.h"
#include "collector/session/clock.h"
#include "collector/session/futex.h"

#define AGAIN_NS 1000000000u   /* memory and threads may be there again */
#define RECHECK_NS 1000000000u /* a waiting thread checks so often, even if nobody wakes it */

/* ---- one thread's part ---- */

static void thread_free(struct drain_thread *thread)
{
	if (!thread)
		return;
	encoder_free(thread->encoder);
	collapse_free(thread->collapse);
	pending_free_spare(&thread->spare);
	free(thread);
}

static struct drain_thread *thread_new(struct drain *drain, uint32_t index, bool collapses)
{
	struct drain_thread *thread = malloc(sizeof(*thread));

	if (!thread)
		return NULL;
	*thread = (struct drain_thread){ .drain = drain,
					 .index = index,
					 .encoder = encoder_new(),
					 .collapse = collapses ? collapse_new() : NULL,
					 .spare.most = drain->threads.pending_slots,
					 .spare.room = drain->threads.pending_slots };
	if (thread->encoder && (thread->collapse || !collapses))
		return thread;
	thread_free(thread);
	return NULL;
}

int drain_threads_open(struct drain *drain, uint32_t pending_slots, bool collapses)
{
	struct drain_threads *threads = &drain->threads;

	threads->pending_slots = pending_slots;
	threads->n_most = 1;
	threads->at[0] = thread_new(drain, 0, collapses);
	threads->n = threads->at[0] ? 1 : 0;
	return threads->n ? 0 : -ENOMEM;
}

void drain_threads_allow(struct drain_threads *threads, const struct thread_calls *calls,
			 uint32_t n_most)
{
	threads->calls = *calls;
	threads->n_most = n_most < 1 ? 1 : n_most < DRAIN_THREADS_MAX ? n_most : DRAIN_THREADS_MAX;
}

/* ---- the threads ---- */

uint64_t drain_thread_cpu_ns(void)
{
	uint64_t ns = 0;

	clock_cpu_ns(0, &ns);
	return ns;
}

static void *run_thread(void *arg)
{
	struct drain_thread *thread = arg;
	struct drain_threads *threads = &thread->drain->threads;
	uint64_t begin_ns;

	/* users of `top` see whose thread it is */
	prctl(PR_SET_NAME, "tptrace");
	for (;;) {
		while (atomic_load(&threads->turn) == thread->turn)
			futex_wait(&threads->turn, thread->turn, RECHECK_NS);
		thread->turn++;
		if (atomic_load(&threads->ending))
			return NULL;
		begin_ns = drain_thread_cpu_ns();
		threads->work(thread, threads->arg);
		thread->cpu_ns += drain_thread_cpu_ns() - begin_ns;
		if (atomic_fetch_sub(&threads->busy, 1) == 1)
			futex_wake(&threads->busy);
	}
}

static bool start_one(struct drain *drain)
{
	struct drain_threads *threads = &drain->threads;
	struct drain_thread *thread =
		thread_new(drain, threads->n, threads->at[0]->collapse != NULL);

	if (!thread)
		return false;
	/* it begins with the next work, not with what has just been done */
	thread->turn = atomic_load(&threads->turn);
	if (threads->calls.start(&thread->pthread, run_thread, thread)) {
		thread_free(thread);
		return false;
	}
	threads->at[threads->n++] = thread;
	return true;
}

void drain_threads_grow(struct drain *drain, uint32_t n_workers, uint32_t wished)
{
	struct drain_threads *threads = &drain->threads;
	uint32_t n = wished ? wished : (n_workers + THREAD_WORKERS - 1) / THREAD_WORKERS;

	if (n > threads->n_most)
		n = threads->n_most;
	/* never fewer: a thread that has nothing to do sleeps, and ending it takes time */
	if (n <= threads->n ||
	    (threads->failed_ns && clock_monotonic_ns() - threads->failed_ns < AGAIN_NS))
		return;
	while (threads->n < n && start_one(drain))
		;
	threads->failed_ns = threads->n < n ? clock_monotonic_ns() : 0;
}

void drain_threads_done(struct drain_threads *threads)
{
	if (atomic_load(&threads->first))
		atomic_fetch_sub(&threads->first, 1);
}

void drain_threads_run(struct drain_threads *threads, drain_work *work, const void *arg, bool apart)
{
	uint32_t busy;

	if (!apart || threads->n == 1) {
		for (uint32_t i = 0; i < threads->n; i++)
			work(threads->at[i], arg);
		return;
	}
	threads->work = work;
	threads->arg = arg;
	/* all of it before `turn`, which lets the threads go */
	atomic_store(&threads->first, threads->n);
	atomic_store(&threads->busy, threads->n - 1);
	atomic_fetch_add(&threads->turn, 1);
	futex_wake(&threads->turn);
	work(threads->at[0], arg);
	while ((busy = atomic_load(&threads->busy)))
		futex_wait(&threads->busy, busy, RECHECK_NS);
}

void drain_threads_share(struct drain_threads *threads, uint32_t n_workers)
{
	uint32_t room = n_workers ? PENDING_SLOTS_ALL / n_workers : threads->pending_slots;

	if (room < PENDING_SLOTS_SHARED)
		room = PENDING_SLOTS_SHARED;
	for (uint32_t i = 0; i < threads->n; i++) {
		struct drain_thread *thread = threads->at[i];

		thread->spare.room = room < thread->spare.most ? room : thread->spare.most;
	}
}

uint64_t drain_threads_tasks(const struct drain_threads *threads)
{
	uint64_t n_tasks = 0;

	for (uint32_t i = 0; i < threads->n; i++)
		n_tasks += threads->at[i]->n_tasks;
	return n_tasks;
}

void drain_threads_close(struct drain_threads *threads)
{
	atomic_store(&threads->ending, true);
	atomic_fetch_add(&threads->turn, 1);
	futex_wake(&threads->turn);
	for (uint32_t i = 1; i < threads->n; i++)
		threads->calls.join(threads->at[i]->pthread, NULL);
	for (uint32_t i = 0; i < threads->n; i++)
		thread_free(threads->at[i]);
	threads->n = 0;
}
