/* SPDX-License-Identifier: MIT */
/* exit() in a region on its first thread, while the others wait in GOMP_barrier. */
// status: 3
#include <stdio.h>
#include <stdlib.h>

static int n;

static void at_exit(void)
{
	printf("at exit\n");
}

int main(void)
{
	atexit(at_exit);
#pragma omp parallel
	{
#pragma omp task
#pragma omp atomic
		n++;
#pragma omp taskwait
#pragma omp master
		{
			printf("in region\n");
			exit(3);
		}
#pragma omp barrier
	}
	return 0;
}
