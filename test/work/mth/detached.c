/* SPDX-License-Identifier: MIT */
/* detached.c - detached by attribute; their handles are used again by threads that are joined. */
#include <stdio.h>
#include "myth/myth.h"

#define N 300

static volatile int n_ended;

static void *ends(void *arg)
{
	__sync_fetch_and_add(&n_ended, 1);
	return arg;
}

int main(void)
{
	myth_thread_attr_t attr = { 0 };
	long sum = 0;

	myth_thread_attr_init(&attr);
	attr.detachstate = 1;
	for (long i = 0; i < N; i++) {
		myth_thread_t id;
		void *result;

		attr.child_first = i % 3 != 0;
		myth_create_ex(&id, &attr, ends, NULL);
		myth_join(myth_create(ends, (void *)i), &result);
		sum += (long)result;
	}
	while (n_ended < 2 * N)
		myth_yield();
	printf("%d ended, sum %ld\ntptrace-tasks %d\n", n_ended, sum, 2 * N);
	return 0;
}
