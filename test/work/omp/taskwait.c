/* SPDX-License-Identifier: MIT */
/* GOMP_taskwait with children, without, and twice; grandchildren are not waited for. */
#include <stdio.h>

int main(void)
{
	long part[50] = { 0 }, sum = 0, n_grand = 0;

#pragma omp parallel
	{
#pragma omp taskwait
#pragma omp single
		for (int k = 0; k < 4; k++) {
			for (int i = 0; i < 50; i++)
#pragma omp task shared(part, n_grand)
			{
				part[i] = i * (k + 1);
#pragma omp task shared(n_grand)
#pragma omp atomic
				n_grand++;
			}
#pragma omp taskwait
#pragma omp taskwait
			for (int i = 0; i < 50; i++)
				sum += part[i];
		}
	}
	printf("sum %ld grandchildren %ld\n", sum, n_grand);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 400\n");
	return sum != 12250 || n_grand != 200;
}
