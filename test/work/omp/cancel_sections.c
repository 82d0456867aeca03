/* SPDX-License-Identifier: MIT */
/* cancel sections: GOMP_cancel(4), GOMP_cancellation_point(4). */
// not-on: gcc-on-libomp
// env: OMP_CANCELLATION=true
#include <stdio.h>

int main(void)
{
	int n_first = 0, n_after = 0;

#pragma omp parallel
	for (int k = 0; k < 10; k++) {
#pragma omp sections
		{
#pragma omp section
			{
#pragma omp atomic
				n_first++;
#pragma omp cancel sections
#pragma omp atomic
				n_after++;
			}
#pragma omp section
			{
#pragma omp cancellation point sections
			}
#pragma omp section
			{
#pragma omp cancellation point sections
			}
		}
	}
	printf("first %d after %d\n", n_first, n_after);
	printf("tptrace-tasks 0\n");
	return n_first != 10 || n_after;
}
