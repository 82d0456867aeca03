/* SPDX-License-Identifier: MIT */
/* task detach(..), fulfilled by the task itself: GOMP_task with DETACH, omp_fulfill_event. */
// needs: gcc11 clang
// not-on: gcc-on-libomp
#include <omp.h>
#include <stdio.h>

int main(void)
{
	long n = 0, sum = 0;

	for (int i = 0; i < 3; i++) { /* no team: undeferred */
		omp_event_handle_t e;

#pragma omp task detach(e) shared(n)
		{
			n++;
			omp_fulfill_event(e);
		}
	}
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 100; i++) {
			omp_event_handle_t e;

#pragma omp task detach(e) firstprivate(i) if (i % 4) shared(n, sum)
			{
#pragma omp atomic
				n++;
				omp_fulfill_event(e);
#pragma omp atomic
				sum += i;
			}
		}
#pragma omp taskwait
		printf("n %ld sum %ld\n", n, sum);
	}
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 103\n");
	return n != 103 || sum != 4950;
}
