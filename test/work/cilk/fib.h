// SPDX-License-Identifier: MIT
// fib.h - Fibonacci numbers: a function that spawns once and syncs once.
#pragma once

#include "../../runtime/cilkrts/lowered.h"

#ifndef FIB_SPAWNS /* for who counts the calls that spawn */
#define FIB_SPAWNS()
#endif

static long fib(long n) __attribute__((unused));

CILK_HELPER(spawn_fib, (long *result, long n), *result = fib(n))

static long fib(long n)
{
	long a, b;

	if (n < 2)
		return n;
	FIB_SPAWNS();
	CILK_ENTER;
	CILK_SPAWN(spawn_fib, &a, n - 1);
	b = fib(n - 2);
	CILK_SYNC;
	CILK_LEAVE;
	return a + b;
}
