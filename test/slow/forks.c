/* SPDX-License-Identifier: MIT */
/*
 * forks.c - 20 tasks of heavy(), in this process and then in a forked child: the child numbers its
 * tasks anew, and creates light() first.
 */
#include <sys/wait.h>
#include <unistd.h>

static volatile long sum;

static void steps(long n)
{
	for (long i = 0; i < n; i++)
		sum += i;
}

static void heavies(void)
{
	for (int i = 0; i < 20; i++) {
#pragma omp task
		steps(40000);
	}
#pragma omp taskwait
}

static void lights(void)
{
	for (int i = 0; i < 20; i++) {
#pragma omp task
		steps(20000);
	}
#pragma omp taskwait
}

int main(void)
{
	int status = 1;
	pid_t child;

	heavies();
	lights();
	child = fork();
	if (child == 0) {
		lights();
		heavies();
		return 0;
	}
	return child < 0 || waitpid(child, &status, 0) < 0 || status;
}
