/* SPDX-License-Identifier: MIT */
/* fib(16) without a cut-off: GOMP_task, GOMP_taskwait. */
#include <stdio.h>

#include "../../lib/omp_tasks.h"

static long fib_tasks(long n)
{
	return n < 2 ? 0 : 2 + fib_tasks(n - 1) + fib_tasks(n - 2);
}

int main(void)
{
	long f;

#pragma omp parallel
#pragma omp single
	f = fib(16);
	printf("fib(16) = %ld\n", f);
	printf("tptrace-tasks %ld\n", fib_tasks(16));
	return f != 987;
}
