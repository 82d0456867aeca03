/* SPDX-License-Identifier: MIT */
/* cancel parallel: GOMP_cancel(1), GOMP_cancellation_point, GOMP_barrier_cancel; and worksharing in
 * such a region: GOMP_loop_end_cancel, GOMP_sections_end_cancel that return false. */
// not-on: libomp
// env: OMP_CANCELLATION=true
#include <omp.h>
#include <stdio.h>

static int n, n_found, n_after;

static void count(int *what)
{
#pragma omp atomic
	++*what;
}

static void shares_work(int is_cancelled)
{
#pragma omp parallel
	{
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 20; i++)
#pragma omp task
			count(&n);
#pragma omp for schedule(static)
		for (int i = 0; i < 20; i++)
			count(&n);
#pragma omp sections
		{
#pragma omp section
			count(&n);
#pragma omp section
			count(&n);
		}
#pragma omp barrier
#pragma omp cancel parallel if (is_cancelled)
		if (is_cancelled)
			count(&n_after);
	}
}

int main(void)
{
	for (int k = 0; k < 10; k++) {
		shares_work(k % 2);
#pragma omp parallel
		{
#pragma omp barrier
			if (omp_get_thread_num() == 0) {
				n_found++;
#pragma omp cancel parallel
				count(&n_after);
			}
#pragma omp barrier
#pragma omp cancellation point parallel
			count(&n_after);
		}
	}
	printf("n %d found %d after %d\n", n, n_found, n_after);
	printf("tptrace-tasks 200\n");
	return n != 420 || n_found != 10 || n_after;
}
