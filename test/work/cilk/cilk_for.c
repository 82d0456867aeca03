// SPDX-License-Identifier: MIT
// Loops: of both widths, empty, in a loop, in a spawned function; spawns in a loop's body.
#include <stdio.h>

static int n_tasks;
#define FIB_SPAWNS() __atomic_add_fetch(&n_tasks, 1, __ATOMIC_RELAXED)
#include "fib.h"

#define N 1000

static long square[N], number[N];

static void squares(void *data, uint64_t low, uint64_t high)
{
	long *to = data;

	__atomic_add_fetch(&n_tasks, 1, __ATOMIC_RELAXED);
	for (uint64_t i = low; i < high; i++)
		to[i] = (long)(i * i);
}

static void fibs(void *data, uint32_t low, uint32_t high)
{
	long *to = data;

	__atomic_add_fetch(&n_tasks, 1, __ATOMIC_RELAXED);
	for (uint32_t i = low; i < high; i++)
		to[i] = fib(i % 12);
}

static void rows(void *data, uint32_t low, uint32_t high)
{
	long *to = data;

	__atomic_add_fetch(&n_tasks, 1, __ATOMIC_RELAXED);
	for (uint32_t i = low; i < high; i++)
		__cilkrts_cilk_for_64(squares, &to[i * (N / 10)], N / 10, 7);
}

static void loop(void)
{
	__cilkrts_cilk_for_32(fibs, number, N / 2, 5);
}

CILK_HELPER(spawn_loop, (void), loop())

static long sum(const long *of)
{
	long s = 0;

	for (int i = 0; i < N; i++)
		s += of[i];
	return s;
}

int main(void)
{
	__cilkrts_cilk_for_64(squares, square, N, 10);
	printf("%ld\n", sum(square));
	__cilkrts_cilk_for_32(fibs, number, N, 0);
	printf("%ld\n", sum(number));
	__cilkrts_cilk_for_32(fibs, number, 0, 1);
	__cilkrts_cilk_for_32(rows, square, 10, 1);
	printf("%ld\n", sum(square));
	CILK_ENTER;
	n_tasks++;
	CILK_SPAWN(spawn_loop);
	__cilkrts_cilk_for_64(squares, square, N, 3);
	CILK_SYNC;
	CILK_LEAVE;
	printf("%ld %ld\n", sum(square), sum(number));
	printf("tptrace-tasks %d\n", n_tasks);
	return 0;
}
