/* SPDX-License-Identifier: MIT */
/* tree.c - tasks of all sorts, to be exported: a tree, loops, dependences, a lock, yields. */
#include <stdio.h>
#include <stdlib.h>

static int fib(int n)
{
	int a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b)
	{
		if (n > 8) { /* what yields is not collapsed */
#pragma omp taskyield
		}
		b = fib(n - 2);
	}
#pragma omp taskwait
	return a + b;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10, sum = 0, chain = 0, result = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
		result = fib(n);
#pragma omp taskloop num_tasks(8) shared(sum)
		for (int i = 0; i < 64; i++)
#pragma omp critical
			sum += i;
		for (int i = 0; i < 10; i++)
#pragma omp task depend(inout : chain) shared(chain)
			chain++;
	}
	printf("%d %d %d\n", result, sum, chain);
	return 0;
}
