/* SPDX-License-Identifier: MIT */
/* serial.c - sorts a table before its tasks can begin.  FIXED: in tasks, too. */
#include "spin.h"

#define PARTS 60

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#ifdef FIXED
		for (int i = 0; i < PARTS; i++) {
#pragma omp task
			spin_us(3000);
		}
#pragma omp taskwait
#else
		spin_us(PARTS * 3000);
#endif
		for (int i = 0; i < PARTS; i++) {
#pragma omp task
			spin_us(3000);
		}
	}
	return 0;
}
