/* SPDX-License-Identifier: MIT */
/* chain.c - tasks that depend on all of an array.  FIXED: on the element that they use. */
#include "spin.h"

#define TASKS 100

int main(void)
{
	static int element[TASKS];

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < TASKS; i++) {
#ifdef FIXED
		int *used = &element[i];
#else
		int *used = &element[0];
#endif
#pragma omp task depend(inout : used[0])
		spin_us(3000);
	}
	return 0;
}
