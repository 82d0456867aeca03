/* SPDX-License-Identifier: MIT */
/*
 * locking.c - each task counts under a lock of its own, so that nobody ever waits, and takes it for
 * each item.  FIXED: it gathers, and takes the lock once.
 */
#include <omp.h>

#define TASKS 40
#define ITEMS 5000

static struct bin {
	omp_lock_t lock;
	long n;
	char alone[48];
} bins[TASKS];

static void count(struct bin *bin)
{
	long n = 0;

	for (int i = 0; i < ITEMS; i++) {
#ifndef FIXED
		omp_set_lock(&bin->lock);
		bin->n += i & 1;
		omp_unset_lock(&bin->lock);
#else
		n += i & 1;
		__asm__ volatile("" : "+r"(n));
#endif
	}
#ifdef FIXED
	omp_set_lock(&bin->lock);
	bin->n += n;
	omp_unset_lock(&bin->lock);
#endif
	(void)n;
}

int main(void)
{
	for (int i = 0; i < TASKS; i++)
		omp_init_lock(&bins[i].lock);
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < TASKS; i++) {
#pragma omp task
		count(&bins[i]);
	}
	return bins[0].n != ITEMS / 2;
}
