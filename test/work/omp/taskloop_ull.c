/* SPDX-License-Identifier: MIT */
/* taskloop over unsigned long long, up and down, across 2^63: GOMP_taskloop_ull with and without
 * UP. */
#include <stdio.h>

#define MID (1ull << 63)

int main(void)
{
	unsigned long long up = 0, down = 0, red = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop num_tasks(6) shared(up)
		for (unsigned long long i = MID - 50; i < MID + 50; i++)
#pragma omp atomic
			up += i;
#pragma omp taskloop grainsize(9) shared(down)
		for (unsigned long long i = MID + 50; i > MID - 50; i -= 3)
#pragma omp atomic
			down += i;
#pragma omp taskloop num_tasks(4) reduction(+ : red)
		for (unsigned long long i = ~0ull; i > ~0ull - 40; i--)
			red += i;
	}
	printf("up %llu down %llu red %llu\n", up, down, red);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks %d\n", 6 + 34 / 9 + 4);
	return up != -50ull;
}
