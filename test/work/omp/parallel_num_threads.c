/* SPDX-License-Identifier: MIT */
/* parallel num_threads(1..6): GOMP_parallel, an implicit task on each thread. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	long sum = 0;
	int wrong = 0;

	for (int k = 0; k < 30; k++) {
		int n = k % 6 + 1, n_ran = 0, ids = 0;

#pragma omp parallel num_threads(n)
		{
#pragma omp atomic
			n_ran++;
#pragma omp atomic
			ids |= 1 << omp_get_thread_num();
			if (omp_get_num_threads() != n)
#pragma omp atomic
				wrong++;
		}
		wrong += n_ran != n || ids != (1 << n) - 1;
		sum += n_ran;
	}
	printf("sum %ld wrong %d\n", sum, wrong);
	printf("tptrace-regions 30\n");
	printf("tptrace-tasks 0\n");
	return wrong;
}
