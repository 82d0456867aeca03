/* SPDX-License-Identifier: MIT */
/* 600 regions and barriers one after another: GOMP_parallel and GOMP_barrier at a high rate. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	long n = 0, want = 0;

	omp_set_dynamic(0);
	for (int i = 0; i < 600; i++) {
#pragma omp parallel num_threads(2 + i % 2)
		{
#pragma omp atomic
			n++;
#pragma omp barrier
		}
		want += 2 + i % 2;
	}
	printf("n %ld\n", n);
	printf("tptrace-regions 600\n");
	printf("tptrace-tasks 0\n");
	return n != want;
}
