/* SPDX-License-Identifier: MIT */
/* cancel taskgroup: GOMP_cancel(8), GOMP_cancellation_point(8), GOMP_task in a cancelled group and
 * tasks that are discarded.  With one thread exactly one of the 50 runs. */
// env: OMP_CANCELLATION=true
#include <omp.h>
#include <stdio.h>

int main(void)
{
	int n_bad = 0, n_after = 0, n_rest = 0;

	for (int k = 0; k < 10; k++) {
		int n = 0;

#pragma omp parallel
#pragma omp single
		{
#pragma omp taskgroup
			for (int i = 0; i < 50; i++)
#pragma omp task shared(n, n_after)
			{
#pragma omp cancellation point taskgroup
#pragma omp atomic
				n++;
#pragma omp cancel taskgroup
#pragma omp atomic
				n_after++;
			}
			for (int i = 0; i < 10; i++)
#pragma omp task shared(n_rest)
#pragma omp atomic
				n_rest++;
		}
		n_bad += n < 1 || n > 50 || (omp_get_max_threads() == 1 && n != 1);
	}
	printf("bad %d after %d rest %d\n", n_bad, n_after, n_rest);
	return n_bad || n_after || n_rest != 100;
}
