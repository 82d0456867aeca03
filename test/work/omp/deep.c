/* SPDX-License-Identifier: MIT */
/* A task in a task, 2000 deep: with GOMP_taskwait (which nests on the stack), without, and
 * undeferred. */
#include <stdio.h>

static long n;

static void nested(int depth, int waits)
{
	if (depth == 0)
		return;
#pragma omp task
	nested(depth - 1, waits);
	if (waits) {
#pragma omp taskwait
	}
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
		nested(2000, 1);
		nested(2000, 0);
#pragma omp taskwait
	}
	inlined(2000);
	printf("n %ld\n", n);
	printf("tptrace-tasks 6000\n");
	return n != 6000;
}
