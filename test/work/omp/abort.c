/* SPDX-License-Identifier: MIT */
/* abort() in a task: status 134, and a trace that ends in mid-air. */
// status: 134
#include <stdio.h>
#include <stdlib.h>

#include "../../lib/omp_tasks.h"

int main(void)
{
	printf("before\n");
	fflush(stdout);
#pragma omp parallel
#pragma omp single
	{
		count_in_tasks(20);
#pragma omp task
		abort();
	}
	return 0;
}
