/* SPDX-License-Identifier: MIT */
/* taskloop grainsize(..): GOMP_taskloop with GRAINSIZE makes floor(n / grain) tasks. */
// not-on: bare
#include <stdio.h>

int main(void)
{
	long sum = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop grainsize(7) shared(sum)
		for (int i = 0; i < 100; i++)
#pragma omp atomic
			sum += i;
#pragma omp taskloop grainsize(200) shared(sum) untied priority(1)
		for (int i = 0; i < 100; i++)
#pragma omp atomic
			sum += i;
#pragma omp taskloop grainsize(1) shared(sum) mergeable
		for (int i = 0; i < 100; i++)
#pragma omp atomic
			sum += i;
	}
	printf("sum %ld\n", sum);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks %d\n", 100 / 7 + 1 + 100);
	return sum != 3 * 4950;
}
