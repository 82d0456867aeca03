// SPDX-License-Identifier: MIT
// env: CILK_NWORKERS=1 TPTRACE_FORK=ignore
// A child of fork() is not recorded.  It has a function that was, in the middle of its spawns: its
// calls go on to where they went before, though spawns of other places could pass the shim by.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lowered.h"

static void add(int *sum, int n)
{
	*sum += n;
}

CILK_HELPER(spawn_add, (int *sum, int n), add(sum, n))

/* Of the child alone. */
static __attribute__((noinline)) int add_elsewhere(int n)
{
	int sum = 0;

	CILK_ENTER;
	CILK_SPAWN(spawn_add, &sum, n);
	CILK_SYNC;
	CILK_LEAVE;
	return sum;
}

int main(void)
{
	int sum = 0, status = -1;
	pid_t pid;

	CILK_ENTER;
	CILK_SPAWN(spawn_add, &sum, 1);
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		sum += add_elsewhere(10);
	CILK_SPAWN(spawn_add, &sum, 2);
	if (pid == 0)
		printf("in the child, synched: %d\n", __cilkrts_synched());
	CILK_SYNC;
	CILK_LEAVE;
	if (pid == 0) {
		printf("in the child, sum %d\n", sum);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	printf("status %d, sum %d\n", status, sum);
	puts("tptrace-tasks 2");
	return 0;
}
