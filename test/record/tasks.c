/* SPDX-License-Identifier: MIT */
/*
 * tasks.c - [N] makes N tasks (40), says so, and ends with 7.  `overflow`: one of them writes
 * behind its memory; `pause`: sleeps 60 s in the region, after its tasks; `forget`: has no
 * environment any more; `title`: has it elsewhere, and something else where it was.
 */
#ifndef TEAM
#define TEAM 2
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void move_environment(const char *what)
{
	static char *none[1], *moved[1000];

	for (int i = 0; environ[i] && i < 999; i++) {
		moved[i] = strdup(environ[i]);
		if (strcmp(what, "title") == 0)
			memset(environ[i], 'x', strlen(environ[i]));
	}
	if (strcmp(what, "title") == 0)
		environ = moved;
	else if (strcmp(what, "forget") == 0)
		environ = none;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "40";
	int n = atoi(what) > 0 ? atoi(what) : 40, sum = 0;

	move_environment(what);
#pragma omp parallel num_threads(TEAM)
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
