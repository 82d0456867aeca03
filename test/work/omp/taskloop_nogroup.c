/* SPDX-License-Identifier: MIT */
/* taskloop nogroup: GOMP_taskloop with NOGROUP returns before its tasks end. */
#include <stdio.h>

int main(void)
{
	long sum = 0, seen = 0;

#pragma omp parallel
#pragma omp single
	{
		for (int k = 0; k < 5; k++)
#pragma omp taskloop nogroup num_tasks(8) shared(sum) firstprivate(k)
			for (int i = 0; i < 100; i++)
#pragma omp atomic
				sum += i * k;
#pragma omp taskwait
#pragma omp atomic read
		seen = sum;
	}
	printf("sum %ld seen %ld\n", sum, seen);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 40\n");
	return seen != 49500;
}
