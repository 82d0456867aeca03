/* SPDX-License-Identifier: MIT */
/* 200,000 tasks in a flat loop by one producer: GOMP_task throttles and runs some undeferred. */
#include <stdio.h>

int main(void)
{
	unsigned long sum = 0;

#pragma omp parallel
#pragma omp single
	for (unsigned long i = 0; i < 200000; i++)
#pragma omp task shared(sum)
#pragma omp atomic
		sum += i;
	printf("sum %lu\n", sum);
	printf("tptrace-tasks 200000\n");
	return sum != 19999900000ul;
}
