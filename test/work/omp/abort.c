/* SPDX-License-Identifier: MIT */
/* abort() in a task: status 134, and a trace that ends in mid-air. */
// status: 134
#include <stdio.h>
#include <stdlib.h>

static int n;

int main(void)
{
	printf("before\n");
	fflush(stdout);
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 20; i++)
#pragma omp task
#pragma omp atomic
			n++;
#pragma omp taskwait
#pragma omp task
		abort();
	}
	return 0;
}
