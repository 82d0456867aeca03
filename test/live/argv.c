/* SPDX-License-Identifier: MIT */
/* argv.c WORD.. - writes over its arguments before its first task, as option parsers of the BOTS
 * do. */
#include <string.h>

int main(int argc, char **argv)
{
	volatile int sum = 0;

	for (int i = 1; i < argc; i++)
		memset(argv[i], '*', strlen(argv[i]));
#pragma omp parallel
#pragma omp single
#pragma omp task
	sum += argc;
	return sum != argc;
}
