/* SPDX-License-Identifier: MIT */
/* for schedule(static): no entry point but GOMP_barrier; with ordered,
 * GOMP_loop_ordered_static_start. */
#include <stdio.h>

int main(void)
{
	long sum = 0, order = 0;

#pragma omp parallel
	{
#pragma omp for schedule(static) reduction(+ : sum)
		for (int i = 0; i < 1000; i++)
			sum += i;
#pragma omp for schedule(static, 7) reduction(+ : sum) nowait
		for (int i = 0; i < 1000; i++)
			sum += i;
#pragma omp for schedule(static, 2) ordered
		for (int i = 1; i < 10; i++)
#pragma omp ordered
			order = order * 10 + i;
	}
	printf("sum %ld order %ld\n", sum, order);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 0\n");
	return sum != 2 * 499500 || order != 123456789;
}
