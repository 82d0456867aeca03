/* SPDX-License-Identifier: MIT */
/* tls.c - a program with KIB of static thread-local storage, as Fortran's THREADPRIVATE makes: 100
 * tasks, then a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TEAM num_threads(2)
#include "../lib/omp_tasks.h"

static __thread char big[KIB << 10];

/* With an argument: prints that it has begun, waits for a line, goes on. */
int main(int argc, char **argv)
{
	long sum = sum_in_tasks(100);

	(void)argv;
	big[5] = 1;
	if (argc > 1) {
		puts("begun");
		fflush(stdout);
		if (getchar() == EOF)
			return 1;
		for (int i = 0; i < 400; i++)
			sum = sum_in_tasks(100);
	}
	printf("%ld %d\n", sum, big[5]);
}
