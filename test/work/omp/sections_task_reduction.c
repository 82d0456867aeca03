/* SPDX-License-Identifier: MIT */
/* sections reduction(task, ..): GOMP_sections2_start, also of a combined parallel sections. */
#include <stdio.h>

int main(void)
{
	long sum = 0, prod = 1;

#pragma omp parallel
#pragma omp sections reduction(task, + : sum)
	{
#pragma omp section
		for (int i = 0; i < 30; i++)
#pragma omp task in_reduction(+ : sum)
			sum += i;
#pragma omp section
		for (int i = 0; i < 30; i++)
#pragma omp task in_reduction(+ : sum)
			sum += 100 * i;
	}
#pragma omp parallel sections reduction(task, * : prod)
	{
#pragma omp section
#pragma omp task in_reduction(* : prod)
		prod *= 6;
#pragma omp section
#pragma omp task in_reduction(* : prod)
		prod *= 7;
	}
	printf("sum %ld prod %ld\n", sum, prod);
	printf("tptrace-regions 2\n");
	printf("tptrace-tasks 62\n");
	return sum != 43935 || prod != 42;
}
