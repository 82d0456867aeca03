/* SPDX-License-Identifier: MIT */
/* A task in a task, 2000 deep: with GOMP_taskwait (which nests on the stack), without, and
 * undeferred. */
#include <stdio.h>

static long n;

static void waiting(int depth)
{
	if (depth == 0)
		return;
#pragma omp task
	waiting(depth - 1);
#pragma omp taskwait
#pragma omp atomic
	n++;
}

static void leaving(int depth)
{
	if (depth == 0)
		return;
#pragma omp task
	leaving(depth - 1);
#pragma omp atomic
	n++;
}

static void inlined(int depth)
{
	if (depth == 0)
		return;
#pragma omp task if (0)
	inlined(depth - 1);
	n++;
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		waiting(2000);
		leaving(2000);
#pragma omp taskwait
	}
	inlined(2000);
	printf("n %ld\n", n);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 6000\n");
	return n != 6000;
}
