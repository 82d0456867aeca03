/* SPDX-License-Identifier: MIT */
/* program.c [N] - a tree of small tasks, and N (3) of 50 ms, one after the other: "tasks 2049". */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DEPTH 10 /* 2^11 - 2 tasks */

static long done;

static void tree(int depth)
{
#pragma omp atomic
	done++;
	if (depth == 0)
		return;
	for (int i = 0; i < 2; i++)
#pragma omp task
		tree(depth - 1);
#pragma omp taskwait
}

int main(int argc, char **argv)
{
	const int n_long = argc > 1 ? atoi(argv[1]) : 3;
	const struct timespec nap = { .tv_nsec = 50000000 };

#pragma omp parallel num_threads(2)
#pragma omp single
	{
		tree(DEPTH);
		for (int i = 0; i < n_long; i++) {
#pragma omp task
			{
				nanosleep(&nap, NULL);
#pragma omp atomic
				done++;
			}
#pragma omp taskwait
		}
	}
	printf("tasks %ld\n", done - 1); /* the root of the tree is none */
	return 0;
}
