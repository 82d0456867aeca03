/* SPDX-License-Identifier: MIT */
/* lastprivate(conditional: ..): GOMP_loop_start with a memory block, GOMP_sections2_start; and
 * reduction(inscan, ..), GOMP_barrier between its two passes. */
// needs: gcc10
// not-on: libomp
#include <stdio.h>

int main(void)
{
	int a[100], last = -1, part = -1, run = 0;
	long sum = 0;

#pragma omp parallel for lastprivate(conditional : last) schedule(dynamic, 3)
	for (int i = 0; i < 100; i++)
		if (i % 17 == 3)
			last = i;
#pragma omp parallel sections lastprivate(conditional : part)
	{
#pragma omp section
		part = 1;
#pragma omp section
		part = 2;
#pragma omp section
		if (last < 0)
			part = 3;
	}
#pragma omp parallel for reduction(inscan, + : run)
	for (int i = 0; i < 100; i++) {
		run += i;
#pragma omp scan inclusive(run)
		a[i] = run;
	}
	for (int i = 0; i < 100; i++)
		sum += a[i];
	printf("last %d part %d sum %ld\n", last, part, sum);
	printf("tptrace-tasks 0\n");
	return last != 88 || part != 2;
}
