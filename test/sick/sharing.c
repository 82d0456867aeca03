/* SPDX-License-Identifier: MIT */
/*
 * sharing.c - each worker counts in a place of its own, on one cache line with that of the other.
 * The first tasks run alone, to warm up.  FIXED: each on a line of its own.
 */
#include <omp.h>
#include <stdint.h>

#define TASKS 300
#define WARM 20
#define STEPS 1000000
#ifdef FIXED
#define APART 32
#else
#define APART 1
#endif

static volatile uint64_t counter[2 * APART] __attribute__((aligned(128)));

static void count(void)
{
	volatile uint64_t *own = &counter[omp_get_thread_num() * APART];

	for (int i = 0; i < STEPS; i++)
		++*own;
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < TASKS; i++) {
#pragma omp task
		count();
		if (i < WARM) {
#pragma omp taskwait
		}
	}
	return 0;
}
