/* SPDX-License-Identifier: MIT */
/* stop_with.c - has a child look at the other one: who is stopped sees nothing. */
#include "tools/cmd/stop_with.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 20000000 /* between two looks */

static bool is_stopped(pid_t pid)
{
	char path[32], text[256] = "";
	const char *state;
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	stat = fopen(path, "re");
	if (!stat)
		return false;
	if (!fgets(text, sizeof(text), stat)) /* PID (NAME) STATE, and a name may have a line end */
		text[0] = 0;
	while (!strrchr(text, ')') && fgets(text, sizeof(text), stat))
		;
	fclose(stat);
	state = strrchr(text, ')');
	return state && state[1] == ' ' && (state[2] == 'T' || state[2] == 't');
}

/* Until it is killed.  The parent is let go on again and again: it may stop only now. */
static void watch(pid_t parent, pid_t child)
{
	const struct timespec rest = { .tv_nsec = LOOK_NS };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent) {
		if (!is_stopped(child))
			kill(parent, SIGCONT);
		nanosleep(&rest, NULL);
	}
	_exit(0);
}

void stop_with(pid_t child)
{
	pid_t parent = getpid(), watcher = fork();

	if (watcher == 0)
		watch(parent, child);
	raise(SIGSTOP);
	kill(child, SIGCONT);
	if (watcher < 0)
		return;
	kill(watcher, SIGKILL);
	while (waitpid(watcher, NULL, 0) < 0 && errno == EINTR)
		;
}
