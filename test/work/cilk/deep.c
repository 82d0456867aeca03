// SPDX-License-Identifier: MIT
// A chain of spawns, each child the only one, and each left as soon as it is back.
#include <stdio.h>
#include "lowered.h"

static int down(int n);

CILK_HELPER(spawn_down, (int *to, int n), *to = down(n))

static int down(int n)
{
	int below = 0;

	CILK_ENTER;
	if (n > 0)
		CILK_SPAWN(spawn_down, &below, n - 1);
	CILK_LEAVE;
	return below + 1;
}

int main(void)
{
	printf("%d\n", down(500));
	puts("tptrace-tasks 500");
	return 0;
}
