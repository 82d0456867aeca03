/* SPDX-License-Identifier: MIT */
/*
 * asleep.c - tasks that wait for a device: each sleeps for ten times as long as it computes, and
 * its worker with it.  FIXED: more workers than CPUs.
 */
#include <omp.h>
#include <unistd.h>

#include "spin.h"

#ifdef FIXED
#define WORKERS (4 * omp_get_num_procs())
#else
#define WORKERS 2
#endif

int main(void)
{
#pragma omp parallel num_threads(WORKERS)
#pragma omp single
	for (int i = 0; i < 100; i++) {
#pragma omp task
		{
			usleep(5000);
			spin_us(500);
		}
	}
	return 0;
}
