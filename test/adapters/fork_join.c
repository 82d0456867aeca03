/* SPDX-License-Identifier: MIT */
/* fork_join.c - on Wool, or with -DLACE on Lace, spawns 232 of fib, 63 of tree, 2 that are stacked.
 */
#ifdef LACE
#include "lace.h"
#else
#include "wool.h"
#endif
#include <stdio.h>
#include <stdlib.h>

TASK_1(int, fib, int, n)
{
	int a, b;

	if (n < 2)
		return n;
	SPAWN(fib, n - 1);
	a = CALL(fib, n - 2);
	b = SYNC(fib);
	return a + b;
}

VOID_TASK_1(tree, int, depth)
{
	if (depth == 0)
		return;
	SPAWN(tree, depth - 1);
	CALL(tree, depth - 1);
	SYNC(tree);
}

TASK_1(int, stacked, int, n)
{
	return n;
}

TASK_1(int, all, int, n)
{
	int first, last;

	CALL(tree, 6);
	SPAWN(stacked, 1);
	SPAWN(stacked, 2);
	last = SYNC(stacked);
	first = SYNC(stacked);
	return CALL(fib, n) == 144 && first == 1 && last == 2;
}

int main(void)
{
	int ok;

#ifdef LACE
	lace_start(2, 0);
	ok = RUN(all, 12);
	lace_stop();
#else
	char *argv[] = { "fork_join", "-p", "2", NULL };

	wool_init(3, argv);
	ok = CALL(all, 12);
	wool_fini();
#endif
	puts(ok ? "done" : "wrong");
	return !ok;
}
