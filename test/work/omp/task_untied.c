/* SPDX-License-Identifier: MIT */
/* task untied with taskyield and taskwait: GOMP_task with UNTIED.  Also in a team of one, where
 * parts of libomp's run inside one another. */
// env: TPTRACE_COLLAPSE=off
// expect: sum(w["times"] for w in r["waits"] if w["kind"] == "children") == 2 * (1 + 3 + 9 + 27 + 81)
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
#pragma omp parallel num_threads(1)
	tree(5);
	printf("leaves %ld\n", n_leaves);
	printf("tptrace-tasks %d\n", 2 * (3 + 9 + 27 + 81 + 243));
	return n_leaves != 2 * 243;
}
