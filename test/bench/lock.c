/* SPDX-License-Identifier: MIT */
/* lock.c - a free pthread_mutex_t locked and unlocked N times in a task: "ns_per_pair N". */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "test/bench/now.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static double pairs(long n)
{
	uint64_t begin_ns = now_cpu_ns();

	for (long i = 0; i < n; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	return (double)(now_cpu_ns() - begin_ns) / (double)n;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 5000000;
	double ns = 0;

#pragma omp parallel num_threads(1)
#pragma omp task shared(ns)
	{
		pairs(1000);
		ns = pairs(n);
	}
	printf("ns_per_pair %.4f\n", ns);
	return 0;
}
