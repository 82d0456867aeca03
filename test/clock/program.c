/* SPDX-License-Identifier: MIT */
/* program.c - a tree of small tasks, and three that take 150 ms one after the other: "tasks 2049". */
#include <stdio.h>
#include <time.h>

#define DEPTH 10 /* 2^11 - 2 tasks */
#define LONG 3

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

int main(void)
{
	const struct timespec nap = { .tv_nsec = 50000000 };

#pragma omp parallel num_threads(2)
#pragma omp single
	{
		tree(DEPTH);
		for (int i = 0; i < LONG; i++) {
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
