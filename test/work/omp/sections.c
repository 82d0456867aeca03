/* SPDX-License-Identifier: MIT */
/* sections in a region and combined: GOMP_sections_start, _next, _end, _end_nowait,
 * GOMP_parallel_sections. */
#include <stdio.h>

static long sum;

static void add(long i)
{
#pragma omp atomic
	sum += i;
}

int main(void)
{
	int last = 0;

#pragma omp parallel
	for (int k = 0; k < 5; k++) {
#pragma omp sections lastprivate(last)
		{
#pragma omp section
			add(1);
#pragma omp section
			add(10);
#pragma omp section
			{
				add(100);
				last = 3;
			}
		}
#pragma omp sections nowait
		{
			add(1000);
#pragma omp section
#pragma omp task
			add(10000);
		}
	}
#pragma omp parallel sections
	{
#pragma omp section
		add(100000);
#pragma omp section
		add(1000000);
	}
	printf("sum %ld last %d\n", sum, last);
	printf("tptrace-tasks 5\n");
	return sum != 1155555 || last != 3;
}
