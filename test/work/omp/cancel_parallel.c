/* SPDX-License-Identifier: MIT */
/* cancel parallel: GOMP_cancel(1), GOMP_cancellation_point, GOMP_barrier_cancel. */
// not-on: libomp
// env: OMP_CANCELLATION=true
#include <omp.h>
#include <stdio.h>

int main(void)
{
	int n_found = 0, n_after = 0, n_points = 0;

	for (int k = 0; k < 10; k++) {
#pragma omp parallel
		{
#pragma omp atomic
			n_points++;
#pragma omp barrier
			if (omp_get_thread_num() == 0) {
				n_found++;
#pragma omp cancel parallel
				n_after++;
			}
#pragma omp barrier
#pragma omp cancellation point parallel
#pragma omp atomic
			n_after++;
		}
	}
	printf("cancellation %d found %d after %d\n", omp_get_cancellation(), n_found, n_after);
	printf("tptrace-regions 10\n");
	printf("tptrace-tasks 0\n");
	return n_found != 10 || n_after || n_points < 10;
}
