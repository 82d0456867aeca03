/* SPDX-License-Identifier: MIT */
/* unload_omp.c - a plugin of unload.c: 100 tasks in a team of two, which waits for more. */
long unload_run(void);

long unload_run(void)
{
	long sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 100; i++) {
#pragma omp task shared(sum)
#pragma omp atomic
		sum += i;
	}
	return sum;
}
