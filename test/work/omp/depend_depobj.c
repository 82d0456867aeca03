/* SPDX-License-Identifier: MIT */
/* depend(depobj: ..): GOMP_task whose depend array points to omp_depend_t. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	long a = 1, b = 0, seen = 0;
	omp_depend_t out_a, in_a, set_b;

#pragma omp depobj(out_a) depend(inout : a)
#pragma omp depobj(in_a) depend(in : a)
#pragma omp depobj(set_b) depend(mutexinoutset : b)
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 20; i++) {
#pragma omp task depend(depobj : out_a) shared(a)
		a = a * 3 + 1;
#pragma omp task depend(depobj : in_a) depend(depobj : set_b) shared(a, b)
		b += a;
#pragma omp task depend(in : a) depend(out : b) shared(a, b, seen)
		seen = seen * 7 + (a ^ b);
	}
#pragma omp depobj(in_a) update(out)
#pragma omp depobj(out_a) destroy
#pragma omp depobj(in_a) destroy
#pragma omp depobj(set_b) destroy
	printf("a %ld b %ld seen %lx\n", a, b, (unsigned long)seen);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 60\n");
	return 0;
}
