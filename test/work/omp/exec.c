/* SPDX-License-Identifier: MIT */
/* execv() of itself after a region: two images of one pid, each with OpenMP of its own. */
#include <stdio.h>
#include <unistd.h>

#include "../../lib/omp_tasks.h"

int main(int argc, char **argv)
{
	long sum = sum_in_tasks(50);

	printf("%s %ld\n", argc > 1 ? "second" : "first", sum);
	fflush(stdout);
	if (argc == 1) {
		char *again[] = { argv[0], "again", NULL };

		execv("/proc/self/exe", again);
		return 1;
	}
	return sum != 1225;
}
