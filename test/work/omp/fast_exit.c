/* SPDX-License-Identifier: MIT */
/* _exit() in a task: no destructor and no atexit handler of anybody runs. */
// status: 5
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../lib/omp_tasks.h"

static void at_exit(void)
{
	printf("not reached\n");
}

int main(void)
{
	atexit(at_exit);
#pragma omp parallel
#pragma omp single
	{
		count_in_tasks(20);
#pragma omp task
		{
			printf("in task\n");
			fflush(stdout);
			_exit(5);
		}
#pragma omp taskwait
	}
	return 0;
}
