/* SPDX-License-Identifier: MIT */
/* task if(0): GOMP_task with if_clause false runs on the caller before it returns. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	long sum = 0, n_elsewhere = 0, n_late = 0;

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 100; i++) {
		int me = omp_get_thread_num(), done = 0;

#pragma omp task if (i % 10 == 0) shared(sum, n_elsewhere) firstprivate(i, me)
		{
#pragma omp atomic
			sum += i;
			if (i % 10 != 0 && omp_get_thread_num() != me)
#pragma omp atomic
				n_elsewhere++;
		}
#pragma omp task if (0) shared(done)
		done = 1;
		n_late += !done;
	}
	printf("sum %ld elsewhere %ld late %ld\n", sum, n_elsewhere, n_late);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 200\n");
	return sum != 4950 || n_elsewhere || n_late;
}
