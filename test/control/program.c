/* SPDX-License-Identifier: MIT */
/*
 * program.c - a program of C and C++ that names its phases: `program ROUNDS TASKS MODE` runs three
 * phases, each ROUNDS times a region of TASKS tasks that count.
 *
 *	phases	the middle one has twice as many tasks
 *	middle	recording is on in the middle one alone
 *	forever	the middle one does not end; a line for each round
 *	forked	as middle, by one thread; from the middle one on it is a forked child
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tptrace.h>

static long count;
static int n_threads = 2;

static void tasks(int n)
{
	tptrace_region_begin("tasks");
#pragma omp parallel num_threads(n_threads)
#pragma omp single
	for (int i = 0; i < n; i++) {
#pragma omp task
		{
#pragma omp atomic
			count++;
		}
	}
	tptrace_region_end("tasks");
}

static void phase(const char *name, int rounds, int n)
{
	tptrace_phase(name);
	for (int i = 0; i < rounds; i++)
		tasks(n);
}

int main(int argc, char **argv)
{
	int rounds = argc > 3 ? atoi(argv[1]) : 1, n = argc > 3 ? atoi(argv[2]) : 10;
	const char *mode = argc > 3 ? argv[3] : "phases";
	int forked = strcmp(mode, "forked") == 0;
	int middle = forked || strcmp(mode, "middle") == 0;

	if (forked)
		n_threads = 1;
	if (middle)
		tptrace_stop();
	phase("before the work", rounds, n);
	tptrace_phase("work");
	if (middle)
		tptrace_start();
	if (forked && fork() > 0)
		return wait(NULL) < 0;
	phase("work", rounds, 2 * n);
	while (strcmp(mode, "forever") == 0) {
		tasks(n);
		if (write(STDOUT_FILENO, ".", 1) < 1)
			return 1;
		usleep(2000);
	}
	if (middle)
		tptrace_stop();
	phase("after", rounds, n);
	printf("%ld\n", count);
	return 0;
}
