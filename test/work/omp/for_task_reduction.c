/* SPDX-License-Identifier: MIT */
/* for reduction(task, ..), long and unsigned long long: GOMP_loop_start, GOMP_loop_ull_start,
 * GOMP_loop_ordered_start, GOMP_workshare_task_reduction_unregister. */
#include <stdio.h>

int main(void)
{
	long sum = 0, up = 0, down = 0, ord = 0;
	unsigned order = 0;

#pragma omp parallel
	{
#pragma omp for reduction(task, + : sum) schedule(dynamic, 3)
		for (int i = 0; i < 60; i++)
#pragma omp task in_reduction(+ : sum)
			sum += i;
#pragma omp for reduction(task, + : up) schedule(guided)
		for (unsigned long long i = 1ull << 63; i < (1ull << 63) + 60; i++)
#pragma omp task in_reduction(+ : up)
			up += (long)(i & 0xff);
#pragma omp for reduction(task, + : down) schedule(static)
		for (long i = 60; i > 0; i--)
#pragma omp task in_reduction(+ : down)
			down += i;
	}
#pragma omp parallel for reduction(task, + : ord) schedule(runtime)
	for (int i = 0; i < 60; i++)
#pragma omp task in_reduction(+ : ord)
		ord += i * i;
#pragma omp parallel
#pragma omp for reduction(task, + : ord) schedule(dynamic) ordered
	for (int i = 0; i < 60; i++) {
#pragma omp ordered
		order = order * 31 + i;
#pragma omp task in_reduction(+ : ord)
		ord++;
	}
	printf("sum %ld up %ld down %ld ord %ld order %u\n", sum, up, down, ord, order);
	printf("tptrace-regions 3\n");
	printf("tptrace-tasks 300\n");
	return sum != 1770 || up != 1770 || down != 1830 || ord != 70270;
}
