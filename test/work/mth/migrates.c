/* SPDX-License-Identifier: MIT */
/*
 * migrates.c - who creates a thread goes on elsewhere while the child still runs.  With a second
 * worker the child waits for its creator, which only a thief can resume; main is one of them.
 */
// expect: sum(k["tasks"] for k in r["kinds"] if k["what"] == "root") == 1
#include <sched.h>
#include <stdio.h>
#include "myth/myth.h"

static volatile int stage;
static int n_workers;

static void await(int until)
{
	for (long i = 0; n_workers > 1 && stage < until && i < 2000000; i++)
		sched_yield();
}

static void *child(void *arg)
{
	await((int)(long)arg);
	return arg;
}

static void *creates(void *arg)
{
	myth_thread_t thread[20];
	long sum = 0;

	for (long i = 0; i < 20; i++) {
		thread[i] = myth_create(child, (void *)(long)(stage + 1));
		stage++;
	}
	for (long i = 0; i < 20; i++) {
		void *result;

		myth_join(thread[i], &result);
		sum += (long)result;
	}
	return (void *)(sum + (long)arg);
}

/* With nothing but tail calls of the runtime at the end. */
static void *yields(void *arg)
{
	myth_exit((void *)(long)(myth_create(child, NULL) == 0));
	return NULL;
}

int main(void)
{
	void *result;

	n_workers = myth_get_num_workers();
	printf("main: %ld\n", (long)creates((void *)1));
	myth_join(myth_create(creates, (void *)2), &result);
	printf("thread: %ld\n", (long)result);
	myth_join(myth_create(yields, NULL), &result);
	printf("exit: %ld\ntptrace-tasks %d\n", (long)result, 43);
	return 0;
}
