/* SPDX-License-Identifier: MIT */
/* A target nowait construct stands between two tasks: the later one depends on the earlier. */
// not-on: clang gcc-on-libomp
// flags: -foffload=disable
// env: OMP_TARGET_OFFLOAD=DISABLED
#include <stdio.h>

int main(void)
{
	int a = 0, b = 0, seen = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : a) shared(a)
		a = 7;
#pragma omp target nowait depend(in : a) depend(out : b) map(to : a) map(from : b)
		b = a * 3;
#pragma omp task depend(in : b) shared(b, seen)
		seen = b;
	}
	printf("seen %d\n", seen);
	printf("tptrace-edges depend=2\n");
	printf("tptrace-tasks 3\n");
	return seen != 21;
}
