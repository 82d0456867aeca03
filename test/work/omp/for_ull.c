/* SPDX-License-Identifier: MIT */
/* for over unsigned long long, up and down across 2^63: the GOMP_loop_ull_* family, each of
 * {nonmonotonic_,}{dynamic,guided,runtime}, maybe_nonmonotonic_runtime, ordered_*. */
// env: OMP_SCHEDULE=guided,2
#include <stdio.h>

#define MID (1ull << 63)
typedef unsigned long long ull;

static ull sum, order;

static void add(ull i)
{
#pragma omp atomic
	sum += i;
}

static void add_ordered(ull i)
{
#pragma omp ordered
	order = order * 10 + (i & 15);
}

int main(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(dynamic, 3)
		for (ull i = MID - 50; i < MID + 50; i++)
			add(i);
#pragma omp for schedule(monotonic : dynamic, 3)
		for (ull i = MID + 50; i > MID - 50; i -= 4)
			add(i);
#pragma omp for schedule(guided) nowait
		for (ull i = MID; i < MID + 100; i++)
			add(i);
#pragma omp for schedule(monotonic : guided)
		for (ull i = MID + 100; i > MID; i--)
			add(i);
#pragma omp for schedule(runtime)
		for (ull i = ~0ull; i > ~0ull - 100; i--)
			add(i);
#pragma omp for schedule(monotonic : runtime)
		for (ull i = MID; i < MID + 100; i += 7)
			add(i);
#pragma omp for schedule(nonmonotonic : runtime)
		for (ull i = MID; i < MID + 100; i += 9)
			add(i);
#pragma omp for schedule(dynamic) ordered
		for (ull i = MID + 1; i < MID + 5; i++)
			add_ordered(i);
#pragma omp for schedule(static, 1) ordered
		for (ull i = MID + 5; i < MID + 7; i++)
			add_ordered(i);
#pragma omp for schedule(guided) ordered
		for (ull i = MID + 7; i < MID + 9; i++)
			add_ordered(i);
#pragma omp for schedule(runtime) ordered
		for (ull i = MID + 9; i < MID + 10; i++)
			add_ordered(i);
	}
#pragma omp parallel for schedule(dynamic)
	for (ull i = MID; i < MID + 10; i++)
		add(i);
	printf("sum %llu order %llu\n", sum, order);
	printf("tptrace-regions 2\n");
	printf("tptrace-tasks 0\n");
	return order != 123456789;
}
