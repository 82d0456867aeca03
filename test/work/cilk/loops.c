// SPDX-License-Identifier: MIT
// Many children, many syncs, in loops; some children are alone with their sync.
#include <stdio.h>
#include "lowered.h"

#define WIDTH 50
#define ROUNDS 20

static void add(long *to, long n)
{
	for (long i = 1; i <= n; i++)
		*to += i;
}

CILK_HELPER(spawn_add, (long *to, long n), add(to, n))

int main(void)
{
	long cell[WIDTH] = { 0 }, last = 0, sum = 0;
	int n_tasks = 0;

	CILK_ENTER;
	CILK_SYNC;
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < WIDTH; i++) {
			if ((i + round) % 3 == 0)
				continue;
			n_tasks++;
			CILK_SPAWN(spawn_add, &cell[i], i * 20);
		}
		if (round % 4 == 0)
			CILK_SPAWN(spawn_add, &last, round);
		n_tasks += round % 4 == 0;
		CILK_SYNC;
		for (int i = 0; i < WIDTH; i++)
			sum += cell[i] + last;
	}
	CILK_LEAVE;
	printf("%ld\n", sum);
	printf("tptrace-tasks %d\n", n_tasks);
	return 0;
}
