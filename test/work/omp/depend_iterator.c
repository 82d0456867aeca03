/* SPDX-License-Identifier: MIT */
/* depend(iterator(..), ..): GOMP_task with an array of a length known only at run time. */
#include <stdio.h>

#define N 24

int main(void)
{
	unsigned long a[N] = { 1 };

#pragma omp parallel
#pragma omp single
	for (int i = 1; i < N; i++)
#pragma omp task depend(iterator(int k = 0 : i), in : a[k]) depend(out : a[i]) shared(a)
		for (int k = 0; k < i; k++)
			a[i] += a[k];
	printf("last %lu\n", a[N - 1]);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks %d\n", N - 1);
	return a[N - 1] != 1ul << (N - 2);
}
