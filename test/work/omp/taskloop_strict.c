/* SPDX-License-Identifier: MIT */
/* taskloop grainsize(strict: ..), num_tasks(strict: ..): GOMP_taskloop with STRICT. */
// not-on: gcc-on-libomp
// needs: gcc12
#include <stdio.h>

int main(void)
{
	long sum = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop grainsize(strict : 7) shared(sum)
		for (int i = 0; i < 100; i++)
#pragma omp atomic
			sum += i;
#pragma omp taskloop num_tasks(strict : 13) shared(sum)
		for (unsigned long long i = 0; i < 100; i++)
#pragma omp atomic
			sum += i;
	}
	printf("sum %ld\n", sum);
	printf("tptrace-tasks %d\n", (100 + 6) / 7 + 13);
	return sum != 2 * 4950;
}
