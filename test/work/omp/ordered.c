/* SPDX-License-Identifier: MIT */
/* for ordered of every schedule: GOMP_loop_ordered_{static,dynamic,guided,runtime}_start and _next,
 * GOMP_ordered_start, GOMP_ordered_end. */
// env: OMP_SCHEDULE=dynamic,2
#include <stdio.h>

static unsigned hash;

static void add(unsigned i)
{
#pragma omp ordered
	hash = hash * 31 + i;
}

int main(void)
{
#pragma omp parallel
	{
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < 50; i++)
			add(i);
#pragma omp for ordered schedule(dynamic, 2)
		for (int i = 50; i < 100; i++)
			add(i);
#pragma omp for ordered schedule(guided)
		for (int i = 100; i < 150; i++)
			add(i);
#pragma omp for ordered schedule(runtime)
		for (int i = 150; i < 200; i++)
			add(i);
	}
#pragma omp parallel for ordered schedule(dynamic)
	for (int i = 200; i < 250; i++)
		add(i);
	unsigned want = 0;
	for (unsigned i = 0; i < 250; i++)
		want = want * 31 + i;
	printf("hash %u\n", hash);
	printf("tptrace-regions 2\n");
	printf("tptrace-tasks 0\n");
	return hash != want;
}
