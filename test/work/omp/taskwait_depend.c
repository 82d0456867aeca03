/* SPDX-License-Identifier: MIT */
/* taskwait depend(..): GOMP_taskwait_depend, old and new depend arrays. */
// not-on: old-libomp
#include <omp.h>
#include <stdio.h>

int main(void)
{
	unsigned a = 1, b = 1, sum = 0;
	omp_depend_t set_b;

#pragma omp depobj(set_b) depend(mutexinoutset : b)

#pragma omp parallel
#pragma omp single
	{
		for (unsigned i = 0; i < 40; i++) {
#pragma omp task depend(inout : a) shared(a)
			a = a * 3 + i;
#pragma omp task depend(inout : b) shared(b)
			b = b * 7 + i;
#pragma omp taskwait depend(in : a)
			sum = sum * 31 + a;
			if (i % 4 == 0) {
#pragma omp taskwait depend(inout : a) depend(depobj : set_b)
				sum = sum * 31 + b;
			}
		}
	}
#pragma omp depobj(set_b) destroy
	printf("sum %u a %u b %u\n", sum, a, b);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 80\n");
	return 0;
}
