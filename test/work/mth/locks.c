/* SPDX-License-Identifier: MIT */
/* locks.c - mutex, timed and tried; condition; barrier; once. */
// expect: any(l["what"] == "condition" for l in r["locks"])
// expect: all(l["held_ns"] for l in r["locks"] if l["name"] == "lock mutex" and l["entries"])
// expect: sum(l["entries"] for l in r["locks"] if l["name"] == "lock mutex") >= 360 + 12
// expect: sum(k["tasks"] for k in r["kinds"] if k["what"] == "root") == 1
#include <stdio.h>
#include "myth/myth.h"

#define N 12
#define ROUNDS 30

static myth_mutex_t mutex = MYTH_MUTEX_INITIALIZER;
static myth_cond_t cond = MYTH_COND_INITIALIZER, turned = MYTH_COND_INITIALIZER;
static myth_barrier_t barrier;
static myth_once_t once; /* zero is not done yet */
static long counter, started, go, turn, n_inits, n_serial, at_barrier[ROUNDS];

static void *counts(void *arg)
{
	struct timespec future;

	clock_gettime(CLOCK_REALTIME, &future);
	future.tv_sec += 20;
	for (int i = 0; i < ROUNDS; i++) {
		if (i % 3 == 0)
			myth_mutex_lock(&mutex);
		else if (i % 3 == 1)
			myth_mutex_timedlock(&mutex, &future);
		else
			while (myth_mutex_trylock(&mutex) != 0)
				myth_yield();
		long seen = counter;

		if (i % 4 == 0)
			myth_yield();
		counter = seen + 1;
		myth_mutex_unlock(&mutex);
	}
	return arg;
}

/* All wait for a broadcast, then each for its turn. */
static void *takes_turns(void *arg)
{
	myth_mutex_lock(&mutex);
	started++;
	while (!go)
		myth_cond_wait(&cond, &mutex);
	while (turn != (long)arg)
		myth_cond_wait(&turned, &mutex);
	turn++;
	myth_cond_broadcast(&turned);
	myth_mutex_unlock(&mutex);
	return arg;
}

static void init(void)
{
	myth_yield();
	n_inits++;
}

static void *meets(void *arg)
{
	myth_once(&once, init);
	if (n_inits != 1)
		return (void *)1;
	for (int i = 0; i < ROUNDS; i++) {
		__sync_fetch_and_add(&at_barrier[i], 1);
		if (myth_barrier_wait(&barrier) == MYTH_BARRIER_SERIAL_THREAD)
			__sync_fetch_and_add(&n_serial, 1);
		if (at_barrier[i] != N)
			return (void *)1;
	}
	return NULL;
}

static long all(myth_func_t func)
{
	myth_thread_t thread[N];
	long sum = 0;

	for (long i = 0; i < N; i++)
		thread[i] = myth_create(func, (void *)i);
	if (func == takes_turns) {
		for (int here = 0; !here; myth_yield()) {
			myth_mutex_lock(&mutex);
			here = started == N;
			myth_mutex_unlock(&mutex);
		}
		myth_mutex_lock(&mutex);
		go = 1;
		myth_cond_broadcast(&cond);
		myth_mutex_unlock(&mutex);
	}
	for (long i = 0; i < N; i++) {
		void *result;

		myth_join(thread[i], &result);
		sum += (long)result;
	}
	return sum;
}

int main(void)
{
	all(counts);
	printf("counter %ld\n", counter);
	printf("turns %ld, ", all(takes_turns));
	printf("at the end %ld\n", turn);
	myth_barrier_init(&barrier, 0, N);
	printf("wrong at the barrier: %ld, ", all(meets));
	printf("%ld serial, %ld init\n", n_serial, n_inits);
	printf("tptrace-tasks %d\n", 3 * N);
	return 0;
}
