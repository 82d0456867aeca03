// SPDX-License-Identifier: MIT
// env: CILK_NWORKERS=1
// Programs may ask whether a function has children that still run: with one worker it never has.
#include <stdio.h>
#include "lowered.h"

static int in_child;

static void child(int *asked)
{
	*asked = __cilkrts_synched();
}

CILK_HELPER(spawn_child, (int *asked), child(asked))

int main(void)
{
	int before, between, after;

	CILK_ENTER;
	before = __cilkrts_synched();
	CILK_SPAWN(spawn_child, &in_child);
	between = __cilkrts_synched();
	CILK_SYNC;
	after = __cilkrts_synched();
	printf("%d %d %d %d, flags %x\n", before, between, after, in_child, cilk_frame.flags);
	CILK_LEAVE;
	printf("flags %x\n", cilk_frame.flags);
	puts("tptrace-tasks 1");
	return 0;
}
