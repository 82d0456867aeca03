/* SPDX-License-Identifier: MIT */
/* for over unsigned long long: GOMP_loop_ull_{nonmonotonic_dynamic,dynamic,guided,runtime,
 * ordered_dynamic}_start and _next, up and down across 2^63. */
// env: OMP_SCHEDULE=guided,2
#include <stdio.h>

#define MID (1ull << 63)
typedef unsigned long long ull;

int main(void)
{
	ull sum = 0, order = 0;

#pragma omp parallel
	{
#pragma omp for schedule(dynamic, 3)
		for (ull i = MID - 50; i < MID + 50; i++)
#pragma omp atomic
			sum += i;
#pragma omp for schedule(monotonic : dynamic, 3)
		for (ull i = MID + 50; i > MID - 50; i -= 4)
#pragma omp atomic
			sum += i;
#pragma omp for schedule(guided) nowait
		for (ull i = 0; i < 100; i++)
#pragma omp atomic
			sum += i;
#pragma omp for schedule(runtime)
		for (ull i = ~0ull; i > ~0ull - 100; i--)
#pragma omp atomic
			sum += i;
#pragma omp for schedule(dynamic) ordered
		for (ull i = MID + 1; i < MID + 10; i++)
#pragma omp ordered
			order = order * 10 + (i & 15);
	}
#pragma omp parallel for schedule(dynamic)
	for (ull i = MID; i < MID + 10; i++)
#pragma omp atomic
		sum += i;
	printf("sum %llu order %llu\n", sum, order);
	printf("tptrace-regions 2\n");
	printf("tptrace-tasks 0\n");
	return order != 123456789;
}
