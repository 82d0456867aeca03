/* SPDX-License-Identifier: MIT */
/* stop_with.c - has a child look at the other one: who is stopped sees nothing. */
#include "tools/launch/stop_with.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/session/proc.h"

#define LOOK_NS 20000000 /* between two looks */

static bool is_stopped(pid_t pid)
{
	struct procstat stat;
	const char *state =
		procstat_read(&stat, pid, 0) ? procstat_field(&stat, PROCSTAT_STATE) : NULL;

	return state && (*state == 'T' || *state == 't');
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
