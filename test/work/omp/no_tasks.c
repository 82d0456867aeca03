/* SPDX-License-Identifier: MIT */
/* Linked to libgomp but without one OpenMP call: nothing to trace, nothing to say. */
// status: 2
#include <stdio.h>

int main(int argc, char **argv)
{
	if (argc > 5) {
#pragma omp parallel
		puts("not reached");
	}
	printf("nothing\n");
	return 2;
}
