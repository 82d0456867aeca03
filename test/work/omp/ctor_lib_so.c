/* SPDX-License-Identifier: MIT */
/* The library of ctor_lib.c: runs a region in its constructor. */
// part-of: ctor_lib.c
long ctor_sum;
long lib_sum(void);

__attribute__((noinline)) long lib_sum(void)
{
	long sum = 0;

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 50; i++)
#pragma omp task shared(sum)
#pragma omp atomic
		sum += i;
	return sum;
}

__attribute__((constructor)) static void lib_begin(void)
{
	ctor_sum = lib_sum();
}
