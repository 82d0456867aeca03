/* SPDX-License-Identifier: MIT */
/* for schedule(runtime), the schedule set by OMP_SCHEDULE and omp_set_schedule:
 * GOMP_loop_maybe_nonmonotonic_runtime_start, GOMP_loop_nonmonotonic_runtime_start,
 * GOMP_loop_runtime_start. */
// env: OMP_SCHEDULE=dynamic,3
#include <omp.h>
#include <stdio.h>

int main(void)
{
	static const omp_sched_t kinds[] = { omp_sched_static, omp_sched_dynamic, omp_sched_guided,
					     omp_sched_auto };
	omp_sched_t kind;
	int chunk;
	long sum = 0;

	omp_get_schedule(&kind, &chunk);
	for (int k = 0; k < 5; k++) {
		if (k)
			omp_set_schedule(kinds[k - 1], k);
#pragma omp parallel
		{
#pragma omp for schedule(runtime)
			for (int i = 0; i < 100; i++)
#pragma omp atomic
				sum += i;
#pragma omp for schedule(monotonic : runtime)
			for (int i = 0; i < 100; i++)
#pragma omp atomic
				sum += i;
#pragma omp for schedule(nonmonotonic : runtime) nowait
			for (int i = 0; i < 100; i++)
#pragma omp atomic
				sum += i;
		}
	}
	printf("kind %d chunk %d sum %ld\n", (int)kind & 7, chunk, sum);
	printf("tptrace-regions 5\n");
	printf("tptrace-tasks 0\n");
	return sum != 15 * 4950;
}
