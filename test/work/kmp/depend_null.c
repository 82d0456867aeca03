/* SPDX-License-Identifier: MIT */
/* depend(inout: *nothing): libomp passes over a null address, which in libgomp means
 * omp_all_memory. */
#include <stdio.h>

#define N 16

int main(void)
{
	int *volatile null = NULL;
	int *nothing = null, a = 0, sum = 0;

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < N; i++) {
#pragma omp task depend(inout : *nothing) depend(inout : a) shared(a)
		a += i;
#pragma omp task depend(inout : *nothing) depend(in : *nothing) shared(sum)
#pragma omp atomic
		sum += i;
	}
	printf("sums %d %d\n", a, sum);
	printf("tptrace-edges depend=%d\n", N - 1);
	printf("tptrace-tasks %d\n", 2 * N);
	return 0;
}
