/* SPDX-License-Identifier: MIT */
/* signals.c - join counters, full/empty locks, unconditions, sleep. */
#include <stdio.h>
#include "myth/myth.h"

#define N 16
#define ITEMS 50

static myth_join_counter_t counter;
static myth_felock_t slot;
static myth_uncond_t ping, pong;
static long done[N], value;

static void *counts_down(void *arg)
{
	if ((long)arg % 3 == 0)
		myth_usleep(50);
	done[(long)arg] = 1;
	myth_join_counter_dec(&counter);
	return NULL;
}

static void *awaits(void *arg)
{
	long sum = 0;

	myth_join_counter_wait(&counter);
	for (int i = 0; i < N; i++)
		sum += done[i];
	return (void *)sum;
}

static void *produces(void *arg)
{
	for (long i = 1; i <= ITEMS; i++) {
		myth_felock_wait_and_lock(&slot, 0);
		value = i;
		myth_felock_mark_and_signal(&slot, 1);
	}
	return arg;
}

static void *consumes(void *arg)
{
	long sum = 0;

	for (long i = 1; i <= ITEMS; i++) {
		myth_felock_wait_and_lock(&slot, 1);
		sum += i * value;
		myth_felock_mark_and_signal(&slot, 0);
	}
	return (void *)sum;
}

static void *answers(void *arg)
{
	for (int i = 0; i < ITEMS; i++) {
		myth_uncond_wait(&ping);
		value++;
		myth_uncond_signal(&pong);
	}
	return arg;
}

int main(void)
{
	struct timespec ms = { 0, 1000000 };
	myth_thread_t thread[N], waiter;
	void *result;

	myth_join_counter_init(&counter, 0, N);
	waiter = myth_create(awaits, NULL);
	for (long i = 0; i < N; i++)
		thread[i] = myth_create(counts_down, (void *)i);
	printf("main sees %ld, ", (long)awaits(NULL));
	myth_join(waiter, &result);
	printf("the other %ld\n", (long)result);
	for (long i = 0; i < N; i++)
		myth_join(thread[i], NULL);

	myth_felock_init(&slot, 0);
	myth_felock_lock(&slot);
	thread[0] = myth_create(produces, NULL);
	thread[1] = myth_create(consumes, NULL);
	myth_felock_unlock(&slot);
	myth_join(thread[1], &result);
	myth_join(thread[0], NULL);
	printf("consumed %ld, status %d\n", (long)result, myth_felock_status(&slot));

	value = 0;
	myth_uncond_init(&ping);
	myth_uncond_init(&pong);
	thread[0] = myth_create(answers, NULL);
	for (int i = 0; i < ITEMS; i++) {
		myth_uncond_signal(&ping);
		myth_uncond_wait(&pong);
	}
	myth_join(thread[0], NULL);
	myth_nanosleep(&ms, NULL);
	myth_usleep(100);
	printf("answers %ld\ntptrace-tasks %d\n", value, 1 + N + 2 + 1);
	return 0;
}
