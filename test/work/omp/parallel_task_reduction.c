/* SPDX-License-Identifier: MIT */
/* parallel reduction(task, ..): GOMP_parallel_reductions,
 * GOMP_workshare_task_reduction_unregister. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	long sum = 0, max = 0;
	int n_team = 0;

#pragma omp parallel reduction(task, + : sum) reduction(max : max) num_threads(3)
	{
#pragma omp single
		n_team = omp_get_num_threads();
		for (int i = omp_get_thread_num(); i < 90; i += omp_get_num_threads()) {
#pragma omp task in_reduction(+ : sum)
			{
				sum += i;
#pragma omp task in_reduction(+ : sum)
				sum += 1000;
			}
			max = i > max ? i : max;
		}
	}
	printf("sum %ld max %ld team %d\n", sum, max, n_team);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 180\n");
	return sum != 4005 + 90000;
}
