/* SPDX-License-Identifier: MIT */
/* target nowait: GOMP_target_ext makes a task of its own, which GOMP_taskwait and depend order. */
// not-on: clang gcc-on-libomp
// flags: -foffload=disable
// env: OMP_TARGET_OFFLOAD=DISABLED
#include <stdio.h>

int main(void)
{
	int a[20] = { 0 }, b = 0, seen = 0;

#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 20; i++)
#pragma omp target nowait map(tofrom : a[i : 1]) firstprivate(i)
			a[i] += i;
#pragma omp taskwait
#pragma omp task depend(out : b) shared(b)
		b = 5;
#pragma omp target nowait depend(inout : b) map(tofrom : b)
		b *= 3;
#pragma omp task depend(in : b) shared(b, seen)
		seen = b;
	}
#pragma omp target nowait map(tofrom : b)
	b++;
#pragma omp taskwait
	int sum = 0;
	for (int i = 0; i < 20; i++)
		sum += a[i];
	printf("sum %d seen %d b %d\n", sum, seen, b);
	printf("tptrace-edges depend=2\n");
	printf("tptrace-tasks 24\n");
	return sum != 190 || seen != 15 || b != 16;
}
