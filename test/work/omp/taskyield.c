/* SPDX-License-Identifier: MIT */
/* GOMP_taskyield in tasks, in an implicit task and outside any team. */
#include <stdio.h>

int main(void)
{
	long n = 0;

#pragma omp taskyield
#pragma omp parallel
	{
#pragma omp taskyield
#pragma omp single
		for (int i = 0; i < 200; i++) {
#pragma omp task shared(n)
			{
#pragma omp taskyield
#pragma omp atomic
				n++;
#pragma omp taskyield
			}
			if (i % 16 == 0) {
#pragma omp taskyield
			}
		}
	}
	printf("n %ld\n", n);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 200\n");
	return n != 200;
}
