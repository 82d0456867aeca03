/* SPDX-License-Identifier: MIT */
/* OpenMP in a shared library's constructor, before main: GOMP_parallel and
 * GOMP_task reach the tracer before its own constructor may have run. */
// lib: ctor_lib_so.c
#include <stdio.h>

extern long ctor_sum;
long lib_sum(void);

int main(void)
{
	long s = lib_sum();

	printf("constructor %ld main %ld\n", ctor_sum, s);
	printf("tptrace-tasks 100\n");
	return ctor_sum != 1225 || s != 1225;
}
