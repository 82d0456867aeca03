/* SPDX-License-Identifier: MIT */
/* tail.c - compresses files and begins the largest last.  FIXED: first. */
#include "../lib/omp_tasks.h"
#include "spin.h"

#define FILES 100
#ifdef FIXED
#define LARGEST 0
#else
#define LARGEST begun_last(FILES)
#endif

static void compress(int large)
{
	spin_us(large ? 200000 : 3000);
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < FILES; i++) {
#pragma omp task
		compress(i == LARGEST);
	}
	return 0;
}
