/* SPDX-License-Identifier: MIT */
/* serial.c - threads that by all means of waiting run strictly one after the other. */
// expect: r["parallelism"] < 1.15
// expect: r["work_ns"] > 80e6
#include <stdio.h>
#include "myth/myth.h"
#include "../../bench/now.h"

#define N 8

static myth_felock_t slot;
static myth_join_counter_t counter;
static myth_barrier_t barrier;
static myth_mutex_t mutex;
static myth_cond_t cond;
static myth_uncond_t uncond[N + 1];
static long n_works, n_waiting, turn = -1;

static void work(void)
{
	uint64_t end = now_ns() + 1000000;

	n_works++;
	while (now_ns() < end)
		;
}

/* So much that no other kind of wait hides it if one joins nothing. */
static void work_more(void)
{
	work();
	work();
	work();
}

static void *works(void *arg)
{
	work();
	return arg;
}

static void joins(int child_first)
{
	for (int i = 0; i < N; i++) {
		myth_thread_attr_t attr = { 0 };
		myth_thread_t thread;

		myth_thread_attr_init(&attr);
		attr.child_first = child_first;
		myth_create_ex(&thread, &attr, works, NULL);
		myth_join(thread, NULL);
	}
}

static void *fills(void *arg)
{
	for (int i = 0; i < N / 2; i++) {
		myth_felock_wait_and_lock(&slot, (int)(long)arg);
		work_more();
		myth_felock_mark_and_signal(&slot, 1 - (int)(long)arg);
	}
	return arg;
}

static void *counts(void *arg)
{
	if (arg)
		myth_join_counter_wait(&counter);
	work_more();
	if (!arg)
		myth_join_counter_dec(&counter);
	return arg;
}

static void *meets(void *arg)
{
	for (long i = 0; i < N; i++) {
		if ((long)arg == i % 3)
			work_more();
		myth_barrier_wait(&barrier);
	}
	return arg;
}

static void *signalled(void *arg)
{
	myth_uncond_wait(&uncond[(long)arg]);
	work_more();
	myth_uncond_signal(&uncond[(long)arg + 1]);
	return arg;
}

/* No turn begins before all wait: a lock that was free when it was asked for joins nothing. */
static void *takes_turn(void *arg)
{
	myth_mutex_lock(&mutex);
	n_waiting++;
	while (turn != (long)arg)
		myth_cond_wait(&cond, &mutex);
	work_more();
	turn++;
	myth_cond_broadcast(&cond);
	myth_mutex_unlock(&mutex);
	return arg;
}

static void all(int n, myth_func_t func)
{
	myth_thread_t thread[N];

	for (long i = 0; i < n; i++)
		thread[i] = myth_create(func, (void *)i);
	if (func == signalled) {
		myth_uncond_signal(&uncond[0]);
		myth_uncond_wait(&uncond[N]);
	}
	while (func == takes_turn && turn < 0) {
		myth_yield();
		myth_mutex_lock(&mutex);
		if (n_waiting == n)
			turn = 0;
		myth_cond_broadcast(&cond);
		myth_mutex_unlock(&mutex);
	}
	for (int i = 0; i < n; i++)
		myth_join(thread[i], NULL);
}

int main(void)
{
	joins(1);
	joins(0);
	myth_felock_init(&slot, 0);
	all(2, fills);
	myth_join_counter_init(&counter, 0, 1);
	all(2, counts);
	myth_barrier_init(&barrier, 0, 3);
	all(3, meets);
	for (int i = 0; i <= N; i++)
		myth_uncond_init(&uncond[i]);
	all(N, signalled);
	myth_mutex_init(&mutex, 0);
	myth_cond_init(&cond, 0);
	all(N, takes_turn);
	printf("%ld works\ntptrace-tasks %d\n", n_works, 2 * N + 2 + 2 + 3 + N + N);
	return 0;
}
