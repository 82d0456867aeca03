/* SPDX-License-Identifier: MIT */
/*
 * held.c - `held TASKS`: two workers; each task reads a byte of standard input, and so lasts until
 * somebody writes one.  The creator is a worker, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 5, got = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < n; i++) {
#pragma omp task shared(got)
		{
			char byte;
			int more = read(STDIN_FILENO, &byte, 1) == 1;

#pragma omp atomic
			got += more;
		}
	}
	printf("%d\n", got);
	return 0;
}
