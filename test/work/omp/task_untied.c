/* SPDX-License-Identifier: MIT */
/* task untied with taskyield and taskwait: GOMP_task with UNTIED. */
#include <stdio.h>

static long n_leaves;

static void tree(int depth)
{
	if (depth == 0) {
#pragma omp atomic
		n_leaves++;
		return;
	}
	for (int i = 0; i < 3; i++)
#pragma omp task untied
	{
#pragma omp taskyield
		tree(depth - 1);
	}
#pragma omp taskwait
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	tree(5);
	printf("leaves %ld\n", n_leaves);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks %d\n", 3 + 9 + 27 + 81 + 243);
	return n_leaves != 243;
}
