/* SPDX-License-Identifier: MIT */
/* fork() after orphaned tasks only, no team ever: the child may then use OpenMP, and does. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lib/omp_tasks.h"

int main(void)
{
	int status = -1, n = 0;
	pid_t pid;

	for (int i = 0; i < 30; i++)
#pragma omp task shared(n)
		n++;
	pid = fork();
	if (pid == 0) {
		for (int k = 0; k < 5; k++)
			n += sum_in_tasks(20) == 190;
		exit(n);
	}
	waitpid(pid, &status, 0);
	printf("child %d n %d parent %ld\n", WEXITSTATUS(status), n, sum_in_tasks(50));
	printf("tptrace-tasks 80\n");
	return !WIFEXITED(status) || WEXITSTATUS(status) != 35;
}
