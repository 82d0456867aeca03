/* SPDX-License-Identifier: MIT */
/*
 * around.c [kill|fork] - 200 ms before a parallel region, and 100 ms after it; then it ends, or is
 * killed.  fork: a child does all that, and its parent says when it was forked.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In the parent, when it forked; 0 in the child. */
static long long fork_child(void)
{
	struct timespec ts;
	pid_t pid;

	usleep(300000);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	pid = fork();
	if (pid == 0)
		return 0;
	waitpid(pid, NULL, 0);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	long long forked_ns = strcmp(how, "fork") == 0 ? fork_child() : 0;

	if (forked_ns) {
		printf("%lld\n", forked_ns);
		return 0;
	}
	usleep(200000);
#pragma omp parallel num_threads(2)
	usleep(1000);
	usleep(100000);
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	return 0;
}
