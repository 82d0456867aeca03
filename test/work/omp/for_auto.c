/* SPDX-License-Identifier: MIT */
/* for schedule(auto), loop order(concurrent), for simd: expanded inline, GOMP_barrier only. */
// needs: gcc10
// not-on: clang
#include <stdio.h>

int main(void)
{
	static int a[1000];
	long sum = 0;

#pragma omp parallel
	{
#pragma omp for schedule(auto)
		for (int i = 0; i < 1000; i++)
			a[i] = i;
#pragma omp for simd
		for (int i = 0; i < 1000; i++)
			a[i] *= 2;
#pragma omp loop order(concurrent)
		for (int i = 0; i < 1000; i++)
			a[i] += 1;
	}
	for (int i = 0; i < 1000; i++)
		sum += a[i];
	printf("sum %ld\n", sum);
	printf("tptrace-tasks 0\n");
	return sum != 1000000;
}
