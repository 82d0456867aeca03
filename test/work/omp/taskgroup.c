/* SPDX-License-Identifier: MIT */
/* taskgroup, nested: GOMP_taskgroup_start and _end wait for all descendants. */
#include <stdio.h>

static long n_done;

static void tree(int depth)
{
	for (int i = 0; depth && i < 3; i++)
#pragma omp task
		tree(depth - 1);
#pragma omp atomic
	n_done++;
}

int main(void)
{
	long inner[5] = { 0 }, outer = 0;

#pragma omp parallel
#pragma omp single
	for (int k = 0; k < 5; k++) {
		long seen;

#pragma omp taskgroup
		{
			tree(2);
#pragma omp taskgroup
			{
#pragma omp taskgroup
				tree(3);
			}
#pragma omp atomic read
			inner[k] = n_done;
		}
#pragma omp atomic read
		seen = n_done;
		outer = outer * 100 + seen % 100;
		inner[k] = inner[k] >= k * 53 + 40; /* the 40 of tree(3), at least */
	}
	printf("outer %ld inner %ld%ld%ld%ld%ld\n", outer, inner[0], inner[1], inner[2], inner[3],
	       inner[4]);
	printf("tptrace-tasks %d\n", 5 * (12 + 39));
	return n_done != 5 * 53;
}
