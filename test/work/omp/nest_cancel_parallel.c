/* SPDX-License-Identifier: MIT */
/* Inner regions are cancelled, while others go on. */
// not-on: libomp
// env: OMP_CANCELLATION=true
#include "../counted.h"

#include <omp.h>

int main(void)
{
	counted_begin(2);
	for (int k = 0; k < 30; k++) {
		REGION();
#pragma omp parallel num_threads(3)
		{
			MEMBER();
#pragma omp task
			TASK();
			REGION();
#pragma omp parallel num_threads(2)
			{
				MEMBER();
				if (k % 2) {
#pragma omp barrier
					if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
					}
#pragma omp cancellation point parallel
#pragma omp barrier
				}
			}
			counted_pair();
		}
	}
	counted_print();
	return 0;
}
