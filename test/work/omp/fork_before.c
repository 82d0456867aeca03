/* SPDX-License-Identifier: MIT */
/* fork() before any use of OpenMP: parent and child each begin their own. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lib/omp_tasks.h"

int main(void)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0)
		exit(sum_in_tasks(20) == 190 ? 7 : 1);
	waitpid(pid, &status, 0);
	printf("child %d parent %ld\n", WEXITSTATUS(status), sum_in_tasks(50));
	printf("tptrace-tasks 50\n");
	return !WIFEXITED(status) || WEXITSTATUS(status) != 7;
}
