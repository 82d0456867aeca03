/* SPDX-License-Identifier: MIT */
/* tasks, waits and worksharing outside any parallel region: GOMP_task, GOMP_taskwait,
 * GOMP_taskgroup_start, GOMP_barrier, GOMP_loop_dynamic_start, GOMP_single_start without a team. */
#include <omp.h>
#include <stdio.h>

static long sum;

static void tree(int depth)
{
#pragma omp task firstprivate(depth)
	{
		sum += depth;
		if (depth)
			tree(depth - 1);
	}
#pragma omp taskwait
}

int main(void)
{
	int before = 0, a = 0;

#pragma omp task shared(before)
	before = 1; /* undeferred: there is no team */
	tree(9);
#pragma omp taskgroup
	{
#pragma omp task depend(out : a) shared(a)
		a = 3;
#pragma omp task depend(in : a) shared(a)
		sum += a;
	}
#pragma omp for schedule(dynamic, 3)
	for (int i = 0; i < 10; i++)
		sum += i;
#pragma omp single
	sum++;
#pragma omp critical
	sum++;
#pragma omp barrier
#pragma omp parallel
	{
	}
#pragma omp task
	sum++;
	printf("before %d sum %ld\n", before, sum);
	printf("tptrace-tasks 14\n");
	return sum != 45 + 3 + 45 + 3;
}
