/* SPDX-License-Identifier: MIT */
/* Taskgroups are cancelled in inner regions, and such regions themselves, while others go on.  The
 * trace has the discarded tasks, too.  libomp 16 crashes untraced in 1 of 60 runs. */
// not-on: libomp
// env: OMP_CANCELLATION=true
#include "../counted.h"

#include <omp.h>

static void group(void)
{
#pragma omp taskgroup
	for (int i = 0; i < 10; i++)
#pragma omp task
	{
#pragma omp cancel taskgroup if (i == 4)
	}
}

int main(void)
{
	counted_begin(2);
	for (int k = 0; k < 30; k++) {
#pragma omp parallel num_threads(3)
		{
			MEMBER();
#pragma omp task
			TASK();
#pragma omp parallel num_threads(2)
			{
				MEMBER();
				counted_tasks += 10;
				group();
			}
			counted_pair();
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
