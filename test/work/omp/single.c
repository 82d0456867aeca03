/* SPDX-License-Identifier: MIT */
/* single, single nowait and single copyprivate: GOMP_single_start, GOMP_single_copy_start, _end. */
#include <stdio.h>

int main(void)
{
	int n = 0, n_tasks = 0, wrong = 0;

#pragma omp parallel
	for (int i = 0; i < 40; i++) {
		int got = -1;

#pragma omp single
		n++;
#pragma omp single nowait
		{
#pragma omp atomic
			n++;
#pragma omp task shared(n_tasks)
#pragma omp atomic
			n_tasks++;
		}
#pragma omp single copyprivate(got)
		got = i * i;
		if (got != i * i)
#pragma omp atomic
			wrong++;
#pragma omp barrier
	}
	printf("n %d tasks %d wrong %d\n", n, n_tasks, wrong);
	printf("tptrace-tasks 40\n");
	return n != 80 || wrong;
}
