/* SPDX-License-Identifier: MIT */
/* depend mutexinoutset: GOMP_task with the new depend array, where sums need no atomics. */
#include <stdio.h>

int main(void)
{
	long a = 0, seen[4] = { 0 };

#pragma omp parallel
#pragma omp single
	for (int k = 0; k < 4; k++) {
		for (int i = 1; i <= 40; i++)
#pragma omp task depend(mutexinoutset : a)
			a += i;
#pragma omp task depend(in : a) shared(seen)
		seen[k] = a;
#pragma omp task depend(out : a)
		a *= 2;
	}
	printf("a %ld seen %ld %ld %ld %ld\n", a, seen[0], seen[1], seen[2], seen[3]);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks %d\n", 4 * 42);
	return 0;
}
