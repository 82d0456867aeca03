/* SPDX-License-Identifier: MIT */
/* task if(0) depend(..): GOMP_task waits for the predecessors, then runs the task itself. */
// not-on: old-libomp
#include <stdio.h>

int main(void)
{
	unsigned a = 1, n_wrong = 0;

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 60; i++) {
		unsigned before = a, after = 0;

#pragma omp task depend(inout : a) shared(a) firstprivate(i)
		a = a * 5 + i;
#pragma omp task depend(inout : a) if (0) shared(a, after)
		after = a += 2;
		n_wrong += after != before * 5 + i + 2;
	}
	printf("a %u wrong %u\n", a, n_wrong);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 120\n");
	return n_wrong != 0;
}
