/* SPDX-License-Identifier: MIT */
/* omp_lock_t: omp_init_lock, omp_set_lock, omp_test_lock, omp_unset_lock. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	omp_lock_t a, b;
	long n = 0, m = 0, held;

	omp_init_lock(&a);
	omp_init_lock(&b);
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < 1000; i++) {
			omp_set_lock(&a);
			n++;
			omp_unset_lock(&a);
		}
#pragma omp single
		for (int i = 0; i < 100; i++)
#pragma omp task shared(a, b, n, m)
		{
			omp_set_lock(&b);
			while (!omp_test_lock(&a)) {
			}
			n++;
			m++;
			omp_unset_lock(&a);
			omp_unset_lock(&b);
		}
	}
	omp_set_lock(&a);
	held = !omp_test_lock(&a);
	omp_unset_lock(&a);
	omp_destroy_lock(&a);
	omp_destroy_lock(&b);
	printf("n %ld m %ld held %ld\n", n, m, held);
	printf("tptrace-tasks 100\n");
	return n != 1100 || m != 100 || !held;
}
