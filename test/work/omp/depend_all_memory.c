/* SPDX-License-Identifier: MIT */
/* depend(inout: omp_all_memory): GOMP_task with a null address among the outs. */
// needs: gcc13
// not-on: gcc-on-libomp
#include <omp.h>
#include <stdio.h>

#define N 16

int main(void)
{
	unsigned a[N] = { 0 }, sum[3] = { 0 };

#pragma omp parallel
#pragma omp single
	for (int k = 0; k < 3; k++) {
		for (int i = 0; i < N; i++)
#pragma omp task depend(inout : a[i]) shared(a)
			a[i] += i + k;
#pragma omp task depend(inout : omp_all_memory) shared(a, sum)
		for (int i = 0; i < N; i++)
			sum[k] = sum[k] * 31 + a[i]++;
	}
	printf("sums %u %u %u\n", sum[0], sum[1], sum[2]);
	printf("tptrace-tasks %d\n", 3 * (N + 1));
	return 0;
}
