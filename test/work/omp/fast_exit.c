/* SPDX-License-Identifier: MIT */
/* _exit() in a task: no destructor and no atexit handler of anybody runs. */
// status: 5
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void at_exit(void)
{
	printf("not reached\n");
}

static int n;

int main(void)
{
	atexit(at_exit);
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
			fflush(stdout);
			_exit(5);
		}
#pragma omp taskwait
	}
	return 0;
}
