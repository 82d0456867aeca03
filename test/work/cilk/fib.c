// SPDX-License-Identifier: MIT
// Fibonacci numbers: a function that spawns once and syncs once.
#include <stdio.h>
#include "lowered.h"

static long fib(long n);

CILK_HELPER(spawn_fib, (long *result, long n), *result = fib(n))

static long fib(long n)
{
	long a, b;

	if (n < 2)
		return n;
	CILK_ENTER;
	CILK_SPAWN(spawn_fib, &a, n - 1);
	b = fib(n - 2);
	CILK_SYNC;
	a += b;
	CILK_LEAVE;
	return a;
}

int main(void)
{
	printf("%ld\n", fib(20));
	puts("tptrace-tasks 10945");
	return 0;
}
