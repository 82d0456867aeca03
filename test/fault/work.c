/* SPDX-License-Identifier: MIT */
/* work.c - makes tasks enough to fill a small ring a few times, and prints what they computed. */
#include <errno.h>
#include <stdio.h>

#include "../lib/omp_tasks.h"

int main(void)
{
	long sum = 0;

	errno = 42; /* stays: no call of ours sets it */
	for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
#pragma omp single
		sum += fib(11);
	}
	printf("%ld %d\n", sum, errno);
	return 7;
}
