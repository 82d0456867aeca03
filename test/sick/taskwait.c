/* SPDX-License-Identifier: MIT */
/*
 * taskwait.c - rounds of three tasks for two workers, with a wait after each.  FIXED: a task waits
 * for the one of the round before that it needs.
 */
#include "spin.h"

#define ROUNDS 30
#define ROWS 3

int main(void)
{
	static int row[ROWS];

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < ROWS; i++) {
#ifdef FIXED
#pragma omp task depend(inout : row[i])
#else
#pragma omp task
#endif
			{
				row[i]++;
				spin_us(3000);
			}
		}
#ifndef FIXED
#pragma omp taskwait
#endif
	}
	return 0;
}
