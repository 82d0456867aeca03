/* SPDX-License-Identifier: MIT */
/* exit() in a task, on whichever thread runs it, while the creator waits in GOMP_taskwait. */
// status: 4
#include <stdio.h>
#include <stdlib.h>

#include "../../lib/omp_tasks.h"

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		fib(6);
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
