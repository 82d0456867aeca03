/* SPDX-License-Identifier: MIT */
/* create.c - every way to create a thread; joined in reverse, after its end, and detached. */
// expect: sum(k["tasks"] for k in r["kinds"] if k["what"] == "root") == 1
#include <stdio.h>
#include <string.h>
#include "myth/myth.h"

#define N 40

static long square[N];
static volatile int n_detached;

static void *squares(void *arg)
{
	long i = (long)arg;

	square[i] = i * i;
	if (i % 5 == 0)
		myth_yield();
	return (void *)(i * i);
}

static void *detached(void *arg)
{
	myth_yield();
	__sync_fetch_and_add(&n_detached, 1);
	return arg;
}

static long round_of(int child_first, size_t stacksize)
{
	myth_thread_attr_t attr = { 0 };
	myth_thread_t thread[N];
	long sum = 0;

	myth_thread_attr_init(&attr);
	attr.child_first = child_first;
	attr.stacksize = stacksize;
	memset(square, 0, sizeof(square));
	for (long i = 0; i < N; i++)
		if (myth_create_ex(&thread[i], &attr, squares, (void *)i) != 0)
			return -1;
	for (long i = N - 1; i >= 0; i--) { /* the first created have ended long before */
		void *result = NULL;

		if (myth_join(thread[i], i % 3 ? &result : NULL) != 0)
			return -1;
		sum += i % 3 ? (long)result : square[i];
	}
	return sum;
}

/* Joined by another thread than the one that created it. */
static void *joins(void *arg)
{
	void *result;

	myth_join((myth_thread_t)arg, &result);
	return result;
}

int main(void)
{
	myth_thread_t thread;
	void *result;

	printf("default %ld\n", round_of(1, 0));
	printf("deferred %ld\n", round_of(0, 0));
	printf("with stacks %ld %ld\n", round_of(1, 32768), round_of(0, 65536));
	for (long i = 0; i < N; i++)
		myth_detach(myth_create(detached, NULL));
	while (n_detached < N)
		myth_yield();
	thread = myth_create(squares, (void *)7);
	myth_join(myth_create(joins, thread), &result);
	printf("joined by another: %ld\ntptrace-tasks %d\n", (long)result, 5 * N + 2);
	return 0;
}
