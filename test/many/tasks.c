/* SPDX-License-Identifier: MIT */
/* tasks.c - runs a few tasks; with an argument, none, though it is linked to the runtime. */
#include <omp.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int n = 0;

	(void)argv;
	if (argc == 1) {
#pragma omp parallel num_threads(2)
#pragma omp single
		for (int i = 0; i < 10; i++)
#pragma omp task shared(n)
#pragma omp atomic
			n++;
	}
	printf("%d tasks of %d\n", n, omp_get_max_threads() > 0 ? 10 : 0);
	return 0;
}
