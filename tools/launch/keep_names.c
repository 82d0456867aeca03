/* SPDX-License-Identifier: MIT */
/* keep_names.c - looks up a trace's names when it has ended, within bounds of memory and time. */
#include "tools/launch/keep_names.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/base/xalloc.h"
#include "tools/trace/reader.h"
#include "collector/session/cgroup.h"
#include "collector/session/point.h"
#include "tools/run/kept.h"
#include "tools/run/sites.h"

#define NAMES_MS 1500 /* who typed `record` has the prompt back within 2 s */
#ifndef NAMES_STILL_S /* a test's own */
#define NAMES_STILL_S 30u
#endif
/* Bytes of private memory that this process has; 0: unknown. */
static uint64_t data_bytes(void)
{
	unsigned long pages = 0;
	FILE *statm = fopen("/proc/self/statm", "re");

	if (!statm || fscanf(statm, "%*s %*s %*s %*s %*s %lu", &pages) != 1)
		pages = 0;
	if (statm)
		fclose(statm);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/*
 * Debug information may take any amount.  Where memory is limited, half of what is left stays to
 * others in the cgroup, or the kernel would kill one of them.
 */
static void limit_memory(void)
{
	struct cgroup cgroup = { 0 };
	uint64_t left, most;
	struct rlimit limit;

	cgroup_find(&cgroup, "memory", "");
	left = cgroup_left(&cgroup);
	if (left == CGROUP_NO_LIMIT || getrlimit(RLIMIT_DATA, &limit) < 0)
		return;
	most = data_bytes() + left / 2;
	if (limit.rlim_cur > most)
		limit.rlim_cur = most;
	setrlimit(RLIMIT_DATA, &limit);
}

int keep_names(const char *path, uint32_t *n_sites, struct err *err)
{
	struct reader *reader = NULL;
	struct sites sites = { 0 };
	int error;

	test_point("names:begin");
	limit_memory();
	error = reader_open(&reader, path, err);
	if (error)
		return error;
	*n_sites = reader_defs(reader)->n_sites ? reader_defs(reader)->n_sites - 1 : 0;
	if (reader_facts(reader)->live)
		error = err_set(err, EBUSY, "%s: is still being written", path);
	else
		sites_open(&sites, reader_defs(reader));
	signal(SIGTERM, SIG_IGN); /* await() is not to leave half a file behind */
	if (!error)
		error = kept_put(reader, &sites, err);
	sites_close(&sites);
	reader_close(reader);
	return error;
}

/* The environment without what is preloaded; malloc'd, NULL: no memory. */
static char **environment(void)
{
	size_t n = 0, kept = 0;
	char **copy;

	while (environ[n])
		n++;
	copy = calloc(n + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < n; i++)
		if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
			copy[kept++] = environ[i];
	return copy;
}

/* The CPU time of a child, in ns; 0: unknown. */
static uint64_t child_cpu_ns(pid_t child)
{
	struct timespec used = { 0 };
	clockid_t clock;

	if (clock_getcpuclockid(child, &clock) == 0)
		clock_gettime(clock, &used);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/*
 * `record` waits for the names, but not for long: true if they are left to the report.  A child
 * that uses no CPU for NAMES_STILL_S waits for a file system that is gone.
 */
static bool await(pid_t child)
{
	struct pollfd ends = { .fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN };
	uint64_t used_ns = 0;
	unsigned still_s = 0;
	int status = 0;

	if (ends.fd >= 0 && poll(&ends, 1, NAMES_MS) == 0)
		kill(child, SIGTERM); /* unless it writes already */
	while (ends.fd >= 0 && still_s < NAMES_STILL_S && poll(&ends, 1, 1000) == 0) {
		const uint64_t now_ns = child_cpu_ns(child);

		still_s = now_ns == used_ns ? still_s + 1 : 0;
		used_ns = now_ns;
	}
	if (still_s == NAMES_STILL_S)
		kill(child, SIGKILL); /* which may take as long: nobody reaps it */
	else
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	if (ends.fd >= 0)
		close(ends.fd);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
}

void keep_names_apart(const char *path)
{
	char *arguments[] = { "tptrace", "info", "--embed", "--", (char *)path, NULL };
	FREED char **clean = environment();
	posix_spawnattr_t attributes;
	sigset_t none, term;
	struct err err;
	pid_t child;

	sigemptyset(&none);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &term);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (clean &&
	    posix_spawn(&child, "/proc/self/exe", NULL, &attributes, arguments, clean) == 0 &&
	    await(child))
		kept_leave(path, &err);
	posix_spawnattr_destroy(&attributes);
}
