/* SPDX-License-Identifier: MIT */
/*
 * busy.c SECONDS ROUNDS - makes tasks for so long, and so many times 8361 of them at least; for
 * tests that end it before, or fill its disk.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../lib/omp_tasks.h"

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	long sum = 0, n_left = argc > 2 ? atol(argv[2]) : 0;

	do {
#pragma omp parallel
#pragma omp single
		sum = fib(18);
	} while (--n_left > 0 || time(NULL) < end);
	printf("%ld\n", sum);
	return 7;
}
