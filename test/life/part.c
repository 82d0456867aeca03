/* SPDX-License-Identifier: MIT */
/* part.c - code of tasks that is loaded, runs and is unloaded; PART names its function. */
long part_run(void);

static __attribute__((noinline)) long PART(void)
{
	long sum = 0;

	for (int i = 0; i < 100; i++) {
#pragma omp task shared(sum)
		sum += i;
	}
	return sum;
}

long part_run(void)
{
	return PART();
}
