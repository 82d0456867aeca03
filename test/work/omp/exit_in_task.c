/* SPDX-License-Identifier: MIT */
/* exit() in a task, on whichever thread runs it, while the creator waits in GOMP_taskwait. */
// status: 4
#include <stdio.h>
#include <stdlib.h>

static int n;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 20; i++)
#pragma omp task
#pragma omp atomic
			n++;
#pragma omp taskwait
#pragma omp task
		{
			printf("in task\n");
			exit(4);
		}
#pragma omp taskwait
		printf("not reached\n");
	}
	return 0;
}
