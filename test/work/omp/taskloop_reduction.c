/* SPDX-License-Identifier: MIT */
/* taskloop reduction(..) and in_reduction(..): GOMP_taskloop with REDUCTION, on its own and nested
 * in a taskgroup's. */
#include <stdio.h>

int main(void)
{
	long sum = 0, arr[3] = { 0 }, outer = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop reduction(+ : sum, arr) num_tasks(9)
		for (int i = 0; i < 200; i++) {
			sum += i;
			arr[i % 3] += i;
		}
#pragma omp taskgroup task_reduction(+ : outer)
		{
#pragma omp taskloop in_reduction(+ : outer) num_tasks(5) nogroup
			for (int i = 0; i < 200; i++)
				outer += i;
#pragma omp taskloop reduction(+ : sum) in_reduction(+ : outer) num_tasks(4)
			for (unsigned long long i = 0; i < 200; i++) {
				outer += i;
				sum += i;
			}
		}
	}
	printf("sum %ld arr %ld %ld %ld outer %ld\n", sum, arr[0], arr[1], arr[2], outer);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks %d\n", 9 + 5 + 4);
	return sum != 39800 || outer != 39800;
}
