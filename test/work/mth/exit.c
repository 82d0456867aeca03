/* SPDX-License-Identifier: MIT */
/* exit.c - threads that end by myth_exit(), deep down; tryjoin and timedjoin. */
#include <stdio.h>
#include "myth/myth.h"

#define N 60

static volatile int go;

static void deeper(long depth, long value)
{
	volatile char room[64];

	room[depth % 64] = 1;
	if (depth == 0)
		myth_exit((void *)(value + room[0] * 0));
	deeper(depth - 1, value);
	room[0] = 2;
}

static void *exits(void *arg)
{
	if ((long)arg % 4 == 0)
		myth_yield();
	deeper((long)arg % 20, (long)arg);
	return (void *)-1;
}

static void *waits(void *arg)
{
	while (!go)
		myth_yield();
	return arg;
}

static void *sets(void *arg)
{
	go = 1;
	return arg;
}

int main(void)
{
	struct timespec past = { 0, 0 }, future = { 0, 0 };
	myth_thread_t thread[N], waiting[2];
	long sum = 0;
	void *result;
	int err, tries = 0;

	for (long i = 0; i < N; i++)
		thread[i] = myth_create(exits, (void *)i);
	for (long i = 0; i < N; i++) {
		myth_join(thread[i], &result);
		sum += (long)result;
	}
	printf("exits: %ld\n", sum);
	for (long i = 0; i < 2; i++)
		waiting[i] = myth_create(waits, (void *)(i + 10));
	err = myth_tryjoin(waiting[0], &result);
	printf("tryjoin %s, ", err ? "busy" : "done");
	err = myth_timedjoin(waiting[1], &result, &past);
	printf("timedjoin %s\n", err ? "busy" : "done");
	myth_detach(myth_create(sets, NULL));
	while (myth_tryjoin(waiting[0], &result) != 0) {
		tries++;
		myth_yield();
	}
	printf("joined %ld", (long)result);
	clock_gettime(CLOCK_REALTIME, &future);
	future.tv_sec += 20;
	err = myth_timedjoin(waiting[1], &result, &future);
	printf(", %ld %d\ntptrace-tasks %d\n", (long)result, err, N + 3);
	return tries < 0;
}
