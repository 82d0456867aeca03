/* SPDX-License-Identifier: MIT */
/* over.c - eight threads for each core.  FIXED: one. */
#include <omp.h>

#include "spin.h"

#define TASKS 200

int main(void)
{
#ifdef FIXED
	int threads = omp_get_num_procs();
#else
	int threads = 8 * omp_get_num_procs();
#endif

#pragma omp parallel num_threads(threads)
#pragma omp single
	for (int i = 0; i < TASKS; i++) {
#pragma omp task
		spin_us(3000);
	}
	return 0;
}
