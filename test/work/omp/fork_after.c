/* SPDX-License-Identifier: MIT */
/* fork() after a region, and in a task: the children do without OpenMP, one by exit(), one by
 * _exit(), one by exec; the parent goes on. */
// not-on: libomp
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int child_status(int how)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		if (how == 0)
			exit(10);
		if (how == 1)
			_exit(11);
		execl("/bin/sh", "sh", "-c", "exit 12", NULL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
	long sum = 0, in_task = 0;
	int s[3];

	for (int k = 0; k < 2; k++) {
#pragma omp parallel
#pragma omp single
		for (int i = 0; i < 50; i++)
#pragma omp task shared(sum, in_task)
		{
			if (i == 25)
				in_task = in_task * 100 + child_status(1);
#pragma omp atomic
			sum += i;
		}
		for (int i = 0; i < 3; i++)
			s[i] = child_status(i);
	}
	printf("children %d %d %d in task %ld sum %ld\n", s[0], s[1], s[2], in_task, sum);
	printf("tptrace-tasks 100\n");
	return s[0] != 10 || s[1] != 11 || s[2] != 12 || in_task != 1111 || sum != 2450;
}
