/* SPDX-License-Identifier: MIT */
/* taskgroup task_reduction, task in_reduction: GOMP_taskgroup_reduction_register, _unregister,
 * GOMP_task_reduction_remap. */
#include <stdio.h>

static long fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(void)
{
	long sum = 0, bits = 0, arr[4] = { 0 };

#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum, arr) task_reduction(| : bits)
	for (int i = 0; i < 100; i++)
#pragma omp task in_reduction(+ : sum, arr) in_reduction(| : bits)
	{
		sum += fib(i % 12);
		arr[i % 4] += i;
#pragma omp task in_reduction(| : bits)
		bits |= 1l << (i % 48);
	}
	printf("sum %ld bits %lx arr %ld %ld %ld %ld\n", sum, (unsigned long)bits, arr[0], arr[1],
	       arr[2], arr[3]);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 200\n");
	return 0;
}
