/* SPDX-License-Identifier: MIT */
/* task mergeable, deferred, undeferred and included: GOMP_task with MERGEABLE. */
#include <stdio.h>

int main(void)
{
	long sum = 0;

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 300; i++) {
#pragma omp task mergeable if (i % 3) final(i % 5 == 0) shared(sum)
		{
#pragma omp task mergeable shared(sum)
#pragma omp atomic
			sum += i;
#pragma omp taskwait
		}
	}
	printf("sum %ld\n", sum);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 600\n");
	return sum != 44850;
}
