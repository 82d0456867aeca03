/* SPDX-License-Identifier: MIT */
/* beginning.c - what the constructor notes, and what the kernel says of a forked child. */
#include "preload/inside/beginning.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/trace/create.h"
#include "collector/session/cgroup.h"
#include "collector/session/procstat.h"

#define CPU_BYTES 1024u /* a mask of 8192 CPUs */

static struct {
	pid_t pid;
	uint64_t ns;
	uint32_t n_cpus;
	long seccomp;
	_Atomic uint32_t n_filters; /* since, and those that are about to be */
} beginning;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts = { 0 };

	syscall(SYS_clock_gettime, clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Of the calling thread; or -1. */
static long seccomp_mode(void)
{
	return syscall(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0);
}

/* Of the trace: a daemon that allows all to its own files means those. */
static void note_umask(void)
{
	const mode_t mask = (mode_t)syscall(SYS_umask, 077);

	syscall(SYS_umask, mask);
	create_allow(0666 & ~mask);
}

void beginning_note(void)
{
	static unsigned long mask[CPU_BYTES / sizeof(unsigned long)];
	long bytes = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);

	beginning.pid = (pid_t)syscall(SYS_getpid);
	beginning.ns = clock_ns(CLOCK_MONOTONIC);
	beginning.seccomp = seccomp_mode();
	note_umask();
	for (long i = 0; i < bytes / (long)sizeof(mask[0]); i++)
		beginning.n_cpus += (uint32_t)__builtin_popcountl(mask[i]);
}

/* Ticks since the machine booted; 0 if they are not to be had. */
static uint64_t start_ticks(void)
{
	static struct procstat stat;
	const char *at =
		procstat_read(&stat, 0, 0) ? procstat_field(&stat, PROCSTAT_STARTTIME) : NULL;

	return at ? strtoull(at, NULL, 10) : 0;
}

uint64_t beginning_ns(void)
{
	uint64_t ticks, now_ns, began_ns;
	long a_second = sysconf(_SC_CLK_TCK);

	if (beginning.pid == (pid_t)syscall(SYS_getpid))
		return beginning.ns;
	ticks = start_ticks();
	if (!ticks || a_second <= 0)
		return 0;
	began_ns = ticks / (uint64_t)a_second * 1000000000u +
		   ticks % (uint64_t)a_second * (1000000000u / (uint64_t)a_second);
	now_ns = clock_ns(CLOCK_BOOTTIME); /* which counts while the machine sleeps */
	if (now_ns < began_ns)
		return 0;
	now_ns -= began_ns;
	return clock_ns(CLOCK_MONOTONIC) > now_ns ? clock_ns(CLOCK_MONOTONIC) - now_ns : 0;
}

uint32_t beginning_affinity(void)
{
	return beginning.n_cpus;
}

void beginning_filters(bool on)
{
	atomic_fetch_add(&beginning.n_filters, on ? 1 : -1u);
}

/* Who filters by a call that is not seen may be asked, unless that is what the filter forbids. */
bool beginning_may_open(void)
{
	return !atomic_load(&beginning.n_filters) && seccomp_mode() == beginning.seccomp;
}

uint64_t beginning_quota_milli(void)
{
	static struct cgroup cgroup; /* a thread's stack may be small */
	uint64_t n;

	cgroup_find(&cgroup, "cpu", "");
	n = cgroup_cpu_milli(&cgroup);
	return n == CGROUP_NO_LIMIT ? 0 : n;
}
