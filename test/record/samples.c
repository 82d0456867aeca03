/* SPDX-License-Identifier: MIT */
/* samples.c - a task that takes half a second of CPU time, all of it in one function that it calls.
 */
#include <time.h>

__attribute__((noinline, noclone)) static double burn(double x)
{
	for (int i = 0; i < 100000; i++)
		x = x * 0.5 + i;
	return x;
}

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(void)
{
	volatile double sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	for (double begin = cpu_s(); cpu_s() - begin < 0.5;)
		sum = burn(sum);
	return 0;
}
