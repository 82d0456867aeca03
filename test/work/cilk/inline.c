// SPDX-License-Identifier: MIT
// Code of other compilers: frames are entered inline, so that nothing is recorded.
#define CILK_FRAMES_INLINE
#include <stdio.h>
#include <unistd.h>
#include "fib.h"

#define N 16

static void body(void *data, uint32_t low, uint32_t high)
{
	long *to = data;

	usleep(100);
	for (uint32_t i = low; i < high; i++)
		to[i] = fib(i);
}

static void loop(long *to)
{
	__cilkrts_cilk_for_32(body, to, N, 1);
}

CILK_HELPER(spawn_loop, (long *to), loop(to))

static __attribute__((noinline)) void loops(long to[4][N])
{
	CILK_ENTER;
	for (int i = 0; i < 3; i++)
		CILK_SPAWN(spawn_loop, to[i]);
	loop(to[3]);
	CILK_SYNC;
	loop(to[0]);
	CILK_LEAVE;
}

int main(void)
{
	long to[4][N], sum = 0;

	printf("%ld\n", fib(18));
	for (int i = 0; i < 10; i++)
		loops(to);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < N; j++)
			sum += to[i][j];
	printf("%ld\n", sum);
	puts("tptrace-tasks 0");
	return 0;
}
