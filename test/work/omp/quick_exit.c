/* SPDX-License-Identifier: MIT */
/* quick_exit() in a region: at_quick_exit handlers only. */
// status: 6
#include <stdio.h>
#include <stdlib.h>

static void at_quick(void)
{
	printf("quick\n");
	fflush(stdout);
}

int main(void)
{
	at_quick_exit(at_quick);
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		quick_exit(6);
	}
	return 0;
}
