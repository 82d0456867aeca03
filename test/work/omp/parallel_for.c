/* SPDX-License-Identifier: MIT */
/* parallel for of every schedule: GOMP_parallel for static and auto, GOMP_parallel_loop_* for
 * dynamic, guided, runtime, nonmonotonic_{dynamic,guided,runtime}, maybe_nonmonotonic_runtime. */
// env: OMP_SCHEDULE=guided,2
#include <stdio.h>

static long sum;

static void add(long i)
{
#pragma omp atomic
	sum += i;
}

int main(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < 100; i++)
		add(i);
#pragma omp parallel for schedule(static, 3)
	for (int i = 0; i < 100; i++)
		add(i);
#pragma omp parallel for schedule(dynamic, 3)
	for (int i = 100; i > 0; i -= 2)
		add(i);
#pragma omp parallel for schedule(guided, 2)
	for (long i = -50; i < 50; i++)
		add(i);
#pragma omp parallel for schedule(runtime)
	for (int i = 0; i < 100; i++)
		add(i);
#pragma omp parallel for schedule(auto)
	for (int i = 0; i < 100; i++)
		add(i);
#pragma omp parallel for schedule(monotonic : dynamic, 3)
	for (int i = 0; i < 100; i++)
		add(i);
#pragma omp parallel for schedule(monotonic : guided)
	for (int i = 0; i < 100; i++)
		add(i);
#pragma omp parallel for schedule(monotonic : runtime)
	for (int i = 0; i < 100; i++)
		add(i);
#pragma omp parallel for schedule(nonmonotonic : dynamic) num_threads(3)
	for (int i = 0; i < 100; i++)
		add(i);
#pragma omp parallel for schedule(nonmonotonic : guided) if (0)
	for (int i = 0; i < 100; i++)
		add(i);
#pragma omp parallel for schedule(nonmonotonic : runtime) collapse(2)
	for (int i = 0; i < 10; i++)
		for (int k = 0; k < 10; k++)
			add(i * 10 + k);
	printf("sum %ld\n", sum);
	printf("tptrace-regions 12\n");
	printf("tptrace-tasks 0\n");
	return sum != 10 * 4950 + 2550 - 50;
}
