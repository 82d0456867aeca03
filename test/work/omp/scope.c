/* SPDX-License-Identifier: MIT */
/* scope, scope reduction(task, ..) and scope nowait: GOMP_scope_start, GOMP_barrier. */
// not-on: gcc-on-libomp
// needs: gcc12
#include <omp.h>
#include <stdio.h>

int main(void)
{
	long sum = 0, n_threads = 0, plain = 0;

#pragma omp parallel num_threads(3)
	{
#pragma omp scope reduction(task, + : sum)
		for (int i = omp_get_thread_num(); i < 60; i += 3)
#pragma omp task in_reduction(+ : sum)
			sum += i;
#pragma omp scope reduction(+ : n_threads)
		n_threads++;
#pragma omp scope nowait
#pragma omp atomic
		plain++;
	}
	printf("sum %ld threads %ld plain %ld\n", sum, n_threads, plain);
	printf("tptrace-tasks 60\n");
	return sum != 1770;
}
