/* SPDX-License-Identifier: MIT */
/* OMP_STACKSIZE=64k, of which the tasks use 40 KiB, nested eight deep on worker threads: the tracer
 * must make do with what is left. */
// env: OMP_STACKSIZE=64k
#include <stdio.h>
#include <string.h>

static long sum;

static int deep(int depth)
{
	volatile char pad[4096];
	int got = 0;

	memset((char *)pad, depth, sizeof(pad));
	if (depth == 0)
		return 1;
#pragma omp task shared(got) if (0)
	got = deep(depth - 1);
	return got + (pad[17] == depth);
}

int main(void)
{
#pragma omp parallel num_threads(4)
#pragma omp for schedule(dynamic) nowait
	for (int i = 0; i < 20; i++)
#pragma omp task
	{
		int d = deep(8);
#pragma omp atomic
		sum += d;
	}
	printf("sum %ld\n", sum);
	printf("tptrace-tasks %d\n", 20 * 9);
	return sum != 20 * 9;
}
