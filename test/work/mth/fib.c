/* SPDX-License-Identifier: MIT */
/* fib.c - a thread for each call: children first, joined in the order of creation. */
#include <stdio.h>
#include "myth/myth.h"

static void *fib(void *arg)
{
	long n = (long)arg;
	void *a, *b;

	if (n < 2)
		return arg;
	myth_thread_t first = myth_create(fib, (void *)(n - 1));
	myth_thread_t second = myth_create(fib, (void *)(n - 2));

	myth_join(first, &a);
	myth_join(second, &b);
	return (void *)((long)a + (long)b);
}

static long calls(long n)
{
	return n < 2 ? 1 : 1 + calls(n - 1) + calls(n - 2);
}

int main(void)
{
	void *result;

	myth_join(myth_create(fib, (void *)16), &result);
	printf("fib(16) = %ld\ntptrace-tasks %ld\n", (long)result, calls(16));
	return 0;
}
