/* SPDX-License-Identifier: MIT */
/* parallel if(0): GOMP_parallel with num_threads 1; its tasks are deferred all the same. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	long sum = 0;
	int n = 0;

	for (int k = 0; k < 20; k++)
#pragma omp parallel if (k < 0)
	{
		n += omp_get_num_threads() + omp_in_parallel();
		for (int i = 0; i < 10; i++)
#pragma omp task shared(sum)
			sum += i;
	}
	printf("n %d sum %ld\n", n, sum);
	printf("tptrace-regions 20\n");
	printf("tptrace-tasks 200\n");
	return n != 20 || sum != 900;
}
