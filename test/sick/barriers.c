/* SPDX-License-Identifier: MIT */
/*
 * barriers.c - a team that goes through 20,000 small loops, and meets after each.  FIXED: each
 * member goes through its part of all of them, as the loops do not need one another.
 */
#include "spin.h"

#define LOOPS 20000
#define PARTS 8

/* Not inlined: its lines would be taken for the barrier's. */
static __attribute__((noinline)) void work(void)
{
	count_to(100);
}

int main(void)
{
#ifdef FIXED
#pragma omp parallel for num_threads(2)
	for (int part = 0; part < PARTS; part++)
		for (int loop = 0; loop < LOOPS; loop++)
			work();
#else
#pragma omp parallel num_threads(2)
	for (int loop = 0; loop < LOOPS; loop++)
#pragma omp for
		for (int part = 0; part < PARTS; part++)
			work();
#endif
	return 0;
}
