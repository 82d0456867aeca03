/* SPDX-License-Identifier: MIT */
/*
 * clock.c - what one reading of the recorder's clock costs: "clock_ns N".
 *
 * clock offsets: what one of CLOCK_MONOTONIC does, and by how much the counters of CPUs differ at
 * rest and while all of them are busy, and how well that is known: "gettime_ns N off_ns N unsure_ns
 * N busy_off_ns N busy_unsure_ns N".
 */
#include "collector/session/clock.h"

#include <pthread.h>
#include <stdbool.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test/bench/now.h"

#define READINGS 200000
#define ROUNDS 25

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of what a reading takes. */
static double reading_ns(uint64_t (*read)(void), bool ours)
{
	double ns[ROUNDS];

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begin_ns = now_cpu_ns();

		for (int i = 0; i < READINGS && ours; i++)
			clock_ticks();
		for (int i = 0; i < READINGS && !ours; i++)
			read();
		ns[round] = (double)(now_cpu_ns() - begin_ns) / READINGS;
	}
	qsort(ns, ROUNDS, sizeof(ns[0]), by_value);
	return ns[ROUNDS / 2];
}

static _Atomic bool is_over;

static void *spin(void *unused)
{
	(void)unused;
	while (!is_over) {
	}
	return NULL;
}

/* On a thread of its own: it ends on another CPU than it began. */
static void *measure(void *cpus)
{
	*(struct clock_cpus *)cpus = clock_cpus_measure();
	return NULL;
}

static struct clock_cpus offsets(void)
{
	struct clock_cpus cpus = { 0 };
	pthread_t thread;

	if (pthread_create(&thread, NULL, measure, &cpus) == 0)
		pthread_join(thread, NULL);
	return cpus;
}

static struct clock_cpus busy_offsets(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN), n_spin = 0;
	pthread_t *thread = calloc((size_t)n, sizeof(*thread));
	struct clock_cpus cpus;

	while (thread && n_spin < n && pthread_create(&thread[n_spin], NULL, spin, NULL) == 0)
		n_spin++;
	cpus = offsets();
	is_over = true;
	for (long i = 0; i < n_spin; i++)
		pthread_join(thread[i], NULL);
	free(thread);
	return cpus;
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc == 1) {
		printf("clock_ns %.4f\n", reading_ns(NULL, true));
		return 0;
	}
	struct clock_cpus rest = offsets(), busy;

	busy = busy_offsets();
	printf("gettime_ns %.4f off_ns %llu unsure_ns %llu busy_off_ns %llu busy_unsure_ns %llu\n",
	       reading_ns(clock_monotonic_ns, false), (unsigned long long)rest.off_ns,
	       (unsigned long long)rest.unsure_ns, (unsigned long long)busy.off_ns,
	       (unsigned long long)busy.unsure_ns);
	return 0;
}
