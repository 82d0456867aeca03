/* SPDX-License-Identifier: MIT */
/* coarse.c - three tasks for two workers.  FIXED: forty. */
#include "spin.h"

#ifdef FIXED
#define TASKS 40
#else
#define TASKS 3
#endif

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < TASKS; i++) {
#pragma omp task
		spin_us(300000 / TASKS);
	}
	return 0;
}
