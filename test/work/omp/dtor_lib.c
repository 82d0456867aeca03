/* SPDX-License-Identifier: MIT */
/* OpenMP in an atexit handler, in a destructor of the program and in a library's, after main and
 * perhaps after the tracer has closed its file: how many tasks are in the trace is unknown. */
// lib: dtor_lib_so.c
#include <stdio.h>
#include <stdlib.h>

long lib_sum(void);

static void at_exit(void)
{
	printf("at exit %ld\n", lib_sum());
}

__attribute__((destructor)) static void program_end(void)
{
	printf("destructor %ld\n", lib_sum());
}

int main(void)
{
	atexit(at_exit);
	printf("main %ld\n", lib_sum());
	return 0;
}
