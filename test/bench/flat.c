/* SPDX-License-Identifier: MIT */
/* flat.c - N empty tasks of one parent, which waits for every 1000; prints what fib.c does. */
#include <stdio.h>
#include <stdlib.h>

#include "test/bench/now.h"

#define BATCH 1000

static void flat(long n)
{
#pragma omp parallel
#pragma omp single
	for (long i = 1; i <= n; i++) {
#pragma omp task
		__asm__ volatile("");
		if (i % BATCH == 0) {
#pragma omp taskwait
		}
	}
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 500000;

	if (n < 1)
		return 2;
	flat(BATCH); /* starts the threads and the recorder */
	uint64_t begin_ns = now_ns(), begin_cpu_ns = now_cpu_ns();

	flat(n);
	uint64_t ns = now_ns() - begin_ns, cpu_ns = now_cpu_ns() - begin_cpu_ns;

	printf("ns_per_task %.4f cpu_ns_per_task %.4f tasks %ld thread_cpu_ns %.0f\n",
	       (double)ns / (double)n, (double)cpu_ns / (double)n, n, (double)now_cpu_ns());
	return 0;
}
