/* SPDX-License-Identifier: MIT */
/*
 * lock.c - counts what values a generator draws, in a table that a critical section guards.
 * CHANGED: a table for each thread, added up at the end.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#define BINS 1024
#define TASKS 600
#define VALUES 200000

static unsigned table[BINS], of_thread[64][BINS];

static unsigned draw(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 22;
}

/* A quarter as many are drawn first, without the lock. */
static void fill(unsigned seed)
{
	unsigned state = seed, odd = 0;

	for (int i = 0; i < VALUES / 4; i++)
		odd += draw(&state) % 3;
	state += odd & 1;
#ifdef CHANGED
	unsigned *own = of_thread[omp_get_thread_num()];

	for (int i = 0; i < VALUES; i++)
		own[draw(&state)]++;
#else
#pragma omp critical(count)
	for (int i = 0; i < VALUES; i++)
		table[draw(&state)]++;
#endif
}

int main(void)
{
	unsigned most = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	for (unsigned i = 0; i < TASKS; i++) {
#pragma omp task
		fill(i);
	}
	for (int bin = 0; bin < BINS; bin++) {
		for (int thread = 0; thread < 64; thread++)
			table[bin] += of_thread[thread][bin];
		most = table[bin] > most ? table[bin] : most;
	}
	printf("%u\n", most);
	return 0;
}
