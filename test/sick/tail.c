/* SPDX-License-Identifier: MIT */
/* tail.c - compresses files and begins the largest last.  FIXED: first. */
#include "spin.h"

#define FILES 100

static void compress(int large)
{
	spin_us(large ? 200000 : 3000);
}

int main(void)
{
#ifdef FIXED
	int largest = 0;
#elif defined(__clang__)
	/* libomp's thief takes the oldest task, the creator its newest: they meet in the middle */
	int largest = FILES / 2;
#else
	/* libgomp's workers all take the oldest */
	int largest = FILES - 1;
#endif

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < FILES; i++) {
#pragma omp task
		compress(i == largest);
	}
	return 0;
}
