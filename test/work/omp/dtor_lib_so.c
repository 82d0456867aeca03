/* SPDX-License-Identifier: MIT */
/* The library of dtor_lib.c: runs a region in its destructor. */
// part-of: dtor_lib.c
#include <stdio.h>

#include "../../lib/omp_tasks.h"

long lib_sum(void);

long lib_sum(void)
{
	return sum_in_tasks(50);
}

__attribute__((destructor)) static void lib_end(void)
{
	printf("library %ld\n", lib_sum());
}
