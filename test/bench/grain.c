/* SPDX-License-Identifier: MIT */
/*
 * grain.c - tasks of a given length, which one thread creates.
 *
 *	grain				"iterations_per_us N": how fast this machine spins
 *	grain US THREADS SECONDS RATE	"seconds N tasks N", with RATE iterations for 1 us
 *
 * A task spins a fixed number of times and never looks at the clock, so that two runs with the
 * same arguments do the same work, whatever else takes time in them.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "test/bench/now.h"

#define BATCH 1000
#define CALIBRATE_ITERATIONS 2000000
#define CALIBRATE_ROUNDS 50

static void spin(long iterations)
{
	unsigned long x = 88172645463325252ul;

	for (long i = 0; i < iterations; i++) { /* xorshift [Marsaglia 2003] */
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		__asm__ volatile("" : "+r"(x));
	}
}

static double iterations_per_us(void)
{
	uint64_t best_ns = UINT64_MAX;

	for (int round = 0; round < CALIBRATE_ROUNDS; round++) {
		uint64_t begin_ns = now_ns();

		spin(CALIBRATE_ITERATIONS);
		uint64_t ns = now_ns() - begin_ns;

		if (ns < best_ns)
			best_ns = ns;
	}
	return CALIBRATE_ITERATIONS * 1e3 / (double)best_ns;
}

static void run(long n_tasks, long iterations, int n_threads)
{
#pragma omp parallel num_threads(n_threads)
#pragma omp single
	for (long i = 1; i <= n_tasks; i++) {
#pragma omp task
		spin(iterations);
		if (i % BATCH == 0) {
#pragma omp taskwait
		}
	}
}

int main(int argc, char **argv)
{
	if (argc == 1) {
		printf("iterations_per_us %.3f\n", iterations_per_us());
		return 0;
	}
	if (argc != 5)
		return 2;
	double us = strtod(argv[1], NULL), seconds = strtod(argv[3], NULL);
	int n_threads = (int)strtol(argv[2], NULL, 10);
	long iterations = (long)(us * strtod(argv[4], NULL) + 0.5);
	long n_tasks = (long)(seconds * 1e6 / us * n_threads);

	if (n_threads < 1 || n_tasks < 1)
		return 2;
	run(n_threads, iterations, n_threads); /* starts the threads and the recorder */
	uint64_t begin_ns = now_ns();

	run(n_tasks, iterations, n_threads);
	uint64_t ns = now_ns() - begin_ns;

	printf("seconds %.6f tasks %ld\n", (double)ns / 1e9, n_tasks);
	return 0;
}
