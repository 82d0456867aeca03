/* SPDX-License-Identifier: MIT */
/*
 * reexec.c HOW N - runs 100 tasks and becomes itself, N times; at last it waits for its input to
 * end.  HOW: `call`, execv(); `bare`, the system call; `other`, as `call`, and cat is what waits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TEAM num_threads(2)
#include "../lib/omp_tasks.h"

extern char **environ;

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;
	char next[12], *again[] = { argv[0], argv[1], next, NULL };

	snprintf(next, sizeof(next), "%d", n - 1);
	sum_in_tasks(100);
	if (n && strcmp(argv[1], "bare") == 0)
		syscall(SYS_execve, argv[0], again, environ);
	else if (n)
		execv(argv[0], again);
	if (write(STDOUT_FILENO, ".", 1) < 1)
		return 1;
	unsetenv("LD_PRELOAD");
	if (strcmp(argv[1], "other") == 0)
		execlp("cat", "cat", NULL);
	while (getchar() != EOF)
		;
	return 47;
}
