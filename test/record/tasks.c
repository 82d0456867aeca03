/* SPDX-License-Identifier: MIT */
/*
 * tasks.c - [N] makes N tasks (40), says so, and ends with 7.  `overflow`: one of them writes behind
 * its memory; `pause`: sleeps 60 s in the region, after its tasks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "40";
	int n = atoi(what) > 0 ? atoi(what) : 40, sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
		for (int i = 0; i < n; i++) {
#pragma omp task shared(sum)
			{
				volatile char *piece = malloc(8);

				piece[i == 20 && strcmp(what, "overflow") == 0 ? 8 : 0] = 1;
				free((char *)piece);
#pragma omp atomic
				sum++;
			}
		}
#pragma omp taskwait
		if (strcmp(what, "pause") == 0) {
			puts("pauses");
			fflush(stdout);
			sleep(60);
		}
	}
	printf("%d\n", sum);
	return 7;
}
