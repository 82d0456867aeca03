/* SPDX-License-Identifier: MIT */
/* fork() before any use of OpenMP: parent and child each begin their own. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static long run(int n)
{
	long sum = 0;

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < n; i++)
#pragma omp task shared(sum)
#pragma omp atomic
		sum += i;
	return sum;
}

int main(void)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0)
		exit(run(20) == 190 ? 7 : 1);
	waitpid(pid, &status, 0);
	printf("child %d parent %ld\n", WEXITSTATUS(status), run(50));
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 50\n");
	return !WIFEXITED(status) || WEXITSTATUS(status) != 7;
}
