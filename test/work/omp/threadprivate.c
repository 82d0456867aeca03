/* SPDX-License-Identifier: MIT */
/* threadprivate, copyin and thread-local state over regions: which OS thread runs which thread
 * number must not change between two regions of one width. */
#include <omp.h>
#include <stdio.h>

static int mine;
#pragma omp threadprivate(mine)

int main(void)
{
	int wrong = 0, sum = 0;

	omp_set_dynamic(0);
	mine = 42;
#pragma omp parallel copyin(mine) reduction(+ : wrong)
	{
		wrong += mine != 42;
		mine = 100 + omp_get_thread_num();
	}
	for (int k = 0; k < 10; k++)
#pragma omp parallel reduction(+ : wrong)
		wrong += mine != 100 + omp_get_thread_num();
#pragma omp parallel num_threads(2) copyin(mine) reduction(+ : sum)
	sum += mine;
	printf("wrong %d sum %d\n", wrong, sum);
	printf("tptrace-tasks 0\n");
	return wrong || sum != 200;
}
