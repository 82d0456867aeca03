/* SPDX-License-Identifier: MIT */
/* lock.c - fills a histogram under a lock.  FIXED: one for each thread. */
#include "spin.h"

#define ROWS 120

static void scan(void)
{
	spin_us(500);
#ifndef FIXED
#pragma omp critical(histogram)
#endif
	spin_us(2500);
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < ROWS; i++) {
#pragma omp task
		scan();
	}
	return 0;
}
