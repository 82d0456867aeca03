/* SPDX-License-Identifier: MIT */
/* The library of ctor_lib.c: runs a region in its constructor. */
// part-of: ctor_lib.c
#include "../../lib/omp_tasks.h"

long ctor_sum;
long lib_sum(void);

__attribute__((noinline)) long lib_sum(void)
{
	return sum_in_tasks(50);
}

__attribute__((constructor)) static void lib_begin(void)
{
	ctor_sum = lib_sum();
}
