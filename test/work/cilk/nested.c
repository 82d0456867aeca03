// SPDX-License-Identifier: MIT
// Called functions spawn and sync while their callers have children of their own.
#include <stdio.h>
#include "lowered.h"

static int n_tasks;
static volatile unsigned sink;

static unsigned work(unsigned n)
{
	unsigned x = n;

	for (unsigned i = 0; i < 200 + n % 7 * 100; i++)
		x = x * 1103515245 + 12345;
	sink = x;
	return n;
}

static unsigned outer(unsigned depth, unsigned n);

#define SPAWN(helper, ...)                                                                         \
	do {                                                                                       \
		__atomic_add_fetch(&n_tasks, 1, __ATOMIC_RELAXED);                                 \
		CILK_SPAWN(helper, __VA_ARGS__);                                                   \
	} while (0)

CILK_HELPER(spawn_work, (unsigned *sum, unsigned n), *sum = work(n))
CILK_HELPER(spawn_outer, (unsigned *sum, unsigned depth, unsigned n), *sum = outer(depth, n))

/* Syncs by leaving only. */
static __attribute__((noinline)) void pair(unsigned *sum, unsigned n)
{
	CILK_ENTER;
	SPAWN(spawn_work, &sum[0], n);
	SPAWN(spawn_work, &sum[1], n + 1);
	CILK_LEAVE;
}

/* Never spawns, though it could. */
static __attribute__((noinline)) unsigned none(unsigned n)
{
	unsigned sum = 0;

	CILK_ENTER;
	if (n == 1000000)
		SPAWN(spawn_work, &sum, n);
	CILK_SYNC;
	CILK_SYNC;
	CILK_LEAVE;
	return sum + n;
}

static unsigned outer(unsigned depth, unsigned n)
{
	unsigned mine[2], theirs[2], deep = 0, sum = none(n);

	CILK_ENTER;
	SPAWN(spawn_work, &mine[0], n + 2);
	pair(theirs, n + 3); /* with a child of ours under way */
	if (depth > 0)
		SPAWN(spawn_outer, &deep, depth - 1, n + 4);
	if (depth > 0)
		sum += outer(depth - 1, n + 5);
	CILK_SYNC;
	sum += mine[0] + deep + theirs[0] + theirs[1];
	SPAWN(spawn_work, &mine[1], n + 6); /* for the sync in CILK_LEAVE */
	pair(theirs, n + 7);
	CILK_LEAVE;
	return sum + mine[1] + theirs[0] + theirs[1];
}

int main(void)
{
	printf("%u\n", outer(6, 1));
	printf("%u\n", outer(3, 2)); /* from outside again */
	printf("tptrace-tasks %d\n", n_tasks);
	return 0;
}
