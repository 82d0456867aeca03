/* SPDX-License-Identifier: MIT */
/*
 * ring.c - what recording a task costs, without a runtime: "record_ns N clock_ns N", a task.
 *
 * A task's four events go into a ring in the way that the shims do it, and the thread at the
 * other end takes them as the collector would, but only copies them.  clock_ns is what the four
 * clock readings cost by themselves, measured in turns with the other.
 */
#include "preload/record.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/session.h"
#include "collector/session/gate.h"
#include "test/bench/now.h"
#include "test/lib/collector.h"
#include "collector/session/futex.h"

#define TASKS 100000
#define ROUNDS 31
#define WAKE_NS 500000000u

static pthread_t taker;
static _Atomic bool stopping;
static struct wire_event taken[1u << 20];

static bool take(struct worker *worker)
{
	uint64_t at = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	struct chunk_events events;

	if (!chunk_find(worker, &worker->sizes, at, &events) || !events.full)
		return false;
	memcpy(taken, events.slot, events.n * sizeof(taken[0]));
	at = events.number + events.n;
	atomic_store_explicit(&worker->tail, at, memory_order_release);
	chunk_release(worker, &worker->sizes, at, CHUNK_FREE);
	atomic_fetch_add(&worker->releases, 1);
	if (atomic_load(&worker->waiting))
		futex_wake(&worker->releases);
	return true;
}

static void *take_all(void *arg)
{
	struct session *session = arg;

	while (!atomic_load(&stopping)) {
		uint32_t wake = atomic_load_explicit(&session->wake, memory_order_acquire);
		uint32_t n = atomic_load_explicit(&session->n_workers, memory_order_acquire);
		bool took = false;

		for (uint32_t i = 0; i < n; i++) {
			struct worker *worker = session_worker(i);

			took |= take(worker);
		}
		if (!took)
			futex_wait(&session->wake, wake, WAKE_NS);
	}
	return NULL;
}

/* ---- what session.c wants of a collector (collector.h) ---- */

static struct collector collector; /* it outlives main() */

static int collector_start(struct session *session)
{
	return -pthread_create(&taker, NULL, take_all, session);
}

static void collector_end(struct session *session, const char *how)
{
	(void)how;
	atomic_store(&stopping, true);
	gate_wake(session);
	pthread_join(taker, NULL);
}

/* ---- the measurement ---- */

/* A task's code as the runtime would call it, by the address that it was handed. */
static __attribute__((noinline)) void task_run(record_id id)
{
	struct worker *worker = record_worker();
	record_id below = worker->task;

	record_begin(worker, id);
	__asm__ volatile("" ::: "memory");
	record_end(worker_self(), below);
}

static __attribute__((noinline)) void task_make(uint32_t site)
{
	struct worker *worker = record_worker();
	record_id id = record_create(worker, site, 0);
	record_id self = worker->task;

	__asm__ volatile("" ::: "memory");
	record_resume(worker_self(), self);
	task_run(id);
	worker_self()->task =
		self; /* a task of a taskwait would be resumed; here it just goes on */
}

static double record_ns(uint32_t site)
{
	uint64_t begin_ns = now_cpu_ns();

	for (int i = 0; i < TASKS; i++)
		task_make(site);
	return (double)(now_cpu_ns() - begin_ns) / TASKS;
}

static double clock_ns(void)
{
	uint64_t begin_ns = now_cpu_ns();

	for (int i = 0; i < TASKS; i++)
		for (int k = 0; k < 4; k++)
			clock_ticks();
	return (double)(now_cpu_ns() - begin_ns) / TASKS;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	double record[ROUNDS], clock[ROUNDS];

	collector = idle_collector;
	collector.start = collector_start;
	collector.finish = collector_end;
	session_give(&collector);
	if (!record_worker()) {
		fprintf(stderr, "ring: nothing is recorded\n");
		return 1;
	}
	uint32_t site = record_site(record_runtime("bench", "1"), (uintptr_t)main, 0);

	for (int round = 0; round < ROUNDS; round++) {
		record[round] = record_ns(site);
		clock[round] = clock_ns();
	}
	qsort(record, ROUNDS, sizeof(record[0]), by_value);
	qsort(clock, ROUNDS, sizeof(clock[0]), by_value);
	printf("record_ns %.4f clock_ns %.4f\n", record[ROUNDS / 2], clock[ROUNDS / 2]);
	return 0;
}
