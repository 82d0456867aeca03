/* SPDX-License-Identifier: MIT */
/*
 * fib.c - fib(N) with a task a call, and no cut-off.
 *
 * Prints "ns_per_task N cpu_ns_per_task N tasks N thread_cpu_ns N": by the clock; by this
 * thread's processor time; how many tasks; and the thread's processor time from its very start.
 */
#include <stdio.h>
#include <stdlib.h>

#include "test/bench/now.h"
#include "test/lib/omp_tasks.h"

static long fib_in_region(long n)
{
	long f = 0;

#pragma omp parallel
#pragma omp single
	f = fib(n);
	return f;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 27;
	long last = 0, f = 1; /* fib(0), fib(1) */

	if (n < 2 || n > 60)
		return 2;
	for (long i = 1; i < n; i++) {
		long next = last + f;

		last = f;
		f = next;
	}
	double n_tasks = 2 * (double)(f + last) - 2; /* all calls but the first */

	fib_in_region(10); /* starts the threads and the recorder */
	uint64_t begin_ns = now_ns(), begin_cpu_ns = now_cpu_ns();
	long got = fib_in_region(n);
	uint64_t ns = now_ns() - begin_ns, cpu_ns = now_cpu_ns() - begin_cpu_ns;

	printf("ns_per_task %.4f cpu_ns_per_task %.4f tasks %.0f thread_cpu_ns %.0f\n",
	       (double)ns / n_tasks, (double)cpu_ns / n_tasks, n_tasks, (double)now_cpu_ns());
	return got != f;
}
