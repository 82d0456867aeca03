/* SPDX-License-Identifier: MIT */
/* for schedule(dynamic) and monotonic:dynamic: GOMP_loop_nonmonotonic_dynamic_start and _next,
 * GOMP_loop_dynamic_start and _next, GOMP_loop_end, GOMP_loop_end_nowait. */
#include <stdio.h>

#ifndef KIND
#define KIND dynamic
#endif

int main(void)
{
	long sum = 0, n_tasks = 0;

#pragma omp parallel
	for (int k = 0; k < 10; k++) {
#pragma omp for schedule(KIND, 3)
		for (int i = 0; i < 100; i++)
#pragma omp atomic
			sum += i + k;
#pragma omp for schedule(monotonic : KIND) nowait
		for (int i = 100; i > 0; i--)
#pragma omp atomic
			sum += i + k;
#pragma omp for schedule(nonmonotonic : KIND) nowait
		for (long i = 0; i < 20; i++)
#pragma omp task shared(n_tasks)
#pragma omp atomic
			n_tasks++;
	}
	printf("sum %ld tasks %ld\n", sum, n_tasks);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 200\n");
	return sum != 10 * (4950 + 5050) + 200 * 45 || n_tasks != 200;
}
