/* SPDX-License-Identifier: MIT */
/* The library of dtor_lib.c: runs a region in its destructor. */
// part-of: dtor_lib.c
#include <stdio.h>

long lib_sum(void);

long lib_sum(void)
{
	long sum = 0;

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 50; i++)
#pragma omp task shared(sum)
#pragma omp atomic
		sum += i;
	return sum;
}

__attribute__((destructor)) static void lib_end(void)
{
	printf("library %ld\n", lib_sum());
}
