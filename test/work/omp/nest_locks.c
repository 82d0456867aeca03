/* SPDX-License-Identifier: MIT */
/* omp_nest_lock_t, set again by its owner, which is a task: omp_set_nest_lock, omp_test_nest_lock,
 * omp_unset_nest_lock. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	omp_nest_lock_t l;
	long n = 0, depth = 0;

	omp_init_nest_lock(&l);
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 200; i++)
#pragma omp task shared(l, n, depth)
	{
		int d;

		omp_set_nest_lock(&l);
		omp_set_nest_lock(&l);
		d = omp_test_nest_lock(&l);
		depth += d;
		n++;
		while (d--)
			omp_unset_nest_lock(&l);
	}
	omp_destroy_nest_lock(&l);
	printf("n %ld depth %ld\n", n, depth);
	printf("tptrace-tasks 200\n");
	return n != 200 || depth != 600;
}
