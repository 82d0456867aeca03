/* SPDX-License-Identifier: MIT */
/* imbalance.c - a loop whose last rows are longest, in equal parts.  FIXED: dynamic. */
#include "spin.h"

#define ROWS 100

int main(void)
{
	for (int step = 0; step < 4; step++) {
#ifdef FIXED
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
#else
#pragma omp parallel for schedule(static) num_threads(2)
#endif
		for (int i = 0; i < ROWS; i++)
			spin_us((uint64_t)i * 16);
	}
	return 0;
}
