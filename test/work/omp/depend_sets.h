/* SPDX-License-Identifier: MIT */
/*
 * depend_sets.h - tasks that may come in any order add to one number, then one reads and one
 * doubles it.
 *
 * Of whoever includes it: SET and LAST, the kinds of dependence of those that add and of the one
 * that doubles, and BESIDE, defined where those that add run beside each other.
 */
#pragma once

#if defined(SET) /* else it only has to compile alone */
#include <stdio.h>

int main(void)
{
	long a = 0, seen[4] = { 0 };

#pragma omp parallel
#pragma omp single
	for (int k = 0; k < 4; k++) {
		for (int i = 1; i <= 40; i++)
#pragma omp task depend(SET : a)
#ifdef BESIDE
#pragma omp atomic
#endif
			a += i;
#pragma omp task depend(in : a) shared(seen)
		seen[k] = a;
#pragma omp task depend(LAST : a)
		a *= 2;
	}
	printf("a %ld seen %ld %ld %ld %ld\n", a, seen[0], seen[1], seen[2], seen[3]);
	printf("tptrace-tasks %d\n", 4 * 42);
	return 0;
}
#endif
