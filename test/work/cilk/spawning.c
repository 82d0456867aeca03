// SPDX-License-Identifier: MIT
// part-of: plugin.c
#include "lowered.h"

long fib(long n);

CILK_HELPER(spawn_fib, (long *result, long n), *result = fib(n))

long fib(long n)
{
	long a, b;

	if (n < 2)
		return n;
	CILK_ENTER;
	CILK_SPAWN(spawn_fib, &a, n - 1);
	b = fib(n - 2);
	CILK_SYNC;
	CILK_LEAVE;
	return a + b;
}
