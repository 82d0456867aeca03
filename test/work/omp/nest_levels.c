/* SPDX-License-Identifier: MIT */
/* Four levels of regions, teams of 1 to 3, a fifth that is serialized; at each level tasks before
 * and after the inner region, some waited for, some left to the last barrier. */
#include "../counted.h"

#include <omp.h>

static void level(int depth, int seed);

static void inner(int depth, int seed)
{
	for (int i = 0; i < 2; i++) {
#pragma omp task
		TASK();
	}
	if (seed & 1) {
#pragma omp taskwait
	}
	level(depth + 1, seed + omp_get_thread_num());
#pragma omp task
	{
		TASK();
#pragma omp task
		TASK();
	}
}

static void level(int depth, int seed)
{
	if (depth > 5)
		return;
#pragma omp parallel num_threads(depth == 5 ? 2 : 1 + (seed + depth) % 3)
	{
		MEMBER();
		inner(depth, seed);
	}
}

int main(void)
{
	counted_begin(4);
	for (int k = 0; k < 6; k++)
		level(1, k);
	counted_print();
	return 0;
}
