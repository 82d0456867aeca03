/* SPDX-License-Identifier: MIT */
/* depend in, out, inout: GOMP_task with DEPEND, the array without mutexinoutset. */
#include <stdio.h>

#define N 30

int main(void)
{
	unsigned a[N + 1] = { 1 }, read[N] = { 0 };

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < N; i++) {
#pragma omp task depend(in : a[i]) depend(out : a[i + 1])
		a[i + 1] = a[i] * 3 + i;
#pragma omp task depend(in : a[i]) depend(in : a[i + 1])
		read[i] = a[i] + a[i + 1];
#pragma omp task depend(inout : a[i + 1])
		a[i + 1] ^= 0x55;
	}
	unsigned sum = 0;
	for (int i = 0; i < N; i++)
		sum = sum * 31 + read[i];
	printf("last %u sum %u\n", a[N], sum);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks %d\n", 3 * N);
	return 0;
}
