/* SPDX-License-Identifier: MIT */
/* Worksharing in a region that can be cancelled, and in the end is: GOMP_loop_end_cancel,
 * GOMP_sections_end_cancel, GOMP_barrier_cancel that return false, then GOMP_cancel(1). */
// not-on: libomp
// env: OMP_CANCELLATION=true
#include <stdio.h>

int main(void)
{
	int n = 0, n_sections = 0, n_after = 0, n_tasks = 0;

	for (int k = 0; k < 10; k++) {
#pragma omp parallel
		{
#pragma omp for schedule(dynamic)
			for (int i = 0; i < 20; i++)
#pragma omp task shared(n_tasks)
#pragma omp atomic
				n_tasks++;
#pragma omp for schedule(static)
			for (int i = 0; i < 20; i++)
#pragma omp atomic
				n++;
#pragma omp sections
			{
#pragma omp section
#pragma omp atomic
				n_sections++;
#pragma omp section
#pragma omp atomic
				n_sections++;
			}
#pragma omp barrier
#pragma omp cancel parallel if (k % 2)
			if (k % 2)
#pragma omp atomic
				n_after++;
		}
	}
	printf("n %d sections %d tasks %d after %d\n", n, n_sections, n_tasks, n_after);
	printf("tptrace-regions 10\n");
	printf("tptrace-tasks 200\n");
	return n != 200 || n_sections != 20 || n_tasks != 200 || n_after;
}
