/* SPDX-License-Identifier: MIT */
/* omp.c - tasks by their pragmas; a comment @what stands on the line that a report must show. */
#include <stdio.h>

#include "work.h"

static int fib(int n)
{
	int a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a) /* @fib first */
	a = fib(n - 1);
#pragma omp task shared(b) /* @fib second */
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

static inline void spawn(int k)
{
#pragma omp task firstprivate(k) /* @spawn */
	work(k);
}

int main(void)
{
	int r = 0;

#pragma omp parallel /* @main region */
#pragma omp single
	{
		r = fib(8);
		for (int i = 0; i < 20; i++)
			spawn(10 + i);
#pragma omp taskloop /* @main loop */
		for (int i = 0; i < 16; i++)
			work(20);
	}
	printf("%d\n", r);
	return 0;
}
