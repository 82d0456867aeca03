/* SPDX-License-Identifier: MIT */
/* depend in, out and inout; (iterator(..), ..), an array of a length known at run time only; and
 * (depobj: ..), an array that points to omp_depend_t: GOMP_task with DEPEND. */
#include <omp.h>
#include <stdio.h>

#define N 30
#define ITERATED 24

static void in_and_out(void)
{
	unsigned a[N + 1] = { 1 }, read[N] = { 0 }, sum = 0;

	for (int i = 0; i < N; i++) {
#pragma omp task depend(in : a[i]) depend(out : a[i + 1]) shared(a)
		a[i + 1] = a[i] * 3 + i;
#pragma omp task depend(in : a[i]) depend(in : a[i + 1]) shared(a, read)
		read[i] = a[i] + a[i + 1];
#pragma omp task depend(inout : a[i + 1]) shared(a)
		a[i + 1] ^= 0x55;
	}
#pragma omp taskwait
	for (int i = 0; i < N; i++)
		sum = sum * 31 + read[i];
	printf("last %u sum %u\n", a[N], sum);
}

static void iterated(void)
{
	unsigned long a[ITERATED] = { 1 };

	for (int i = 1; i < ITERATED; i++)
#pragma omp task depend(iterator(int k = 0 : i), in : a[k]) depend(out : a[i]) shared(a)
		for (int k = 0; k < i; k++)
			a[i] += a[k];
#pragma omp taskwait
	printf("last %lu\n", a[ITERATED - 1]);
}

static void by_objects(void)
{
	long a = 1, b = 0, seen = 0;
	omp_depend_t out_a, in_a, set_b;

#pragma omp depobj(out_a) depend(inout : a)
#pragma omp depobj(in_a) depend(in : a)
#pragma omp depobj(set_b) depend(mutexinoutset : b)
	for (int i = 0; i < 20; i++) {
#pragma omp task depend(depobj : out_a) shared(a)
		a = a * 3 + 1;
#pragma omp task depend(depobj : in_a) depend(depobj : set_b) shared(a, b)
		b += a;
#pragma omp task depend(in : a) depend(out : b) shared(a, b, seen)
		seen = seen * 7 + (a ^ b);
	}
#pragma omp taskwait
#pragma omp depobj(in_a) update(out)
#pragma omp depobj(out_a) destroy
#pragma omp depobj(in_a) destroy
#pragma omp depobj(set_b) destroy
	printf("a %ld b %ld seen %lx\n", a, b, (unsigned long)seen);
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		in_and_out();
		iterated();
		by_objects();
	}
	printf("tptrace-tasks %d\n", 3 * N + ITERATED - 1 + 60);
	return 0;
}
