/* SPDX-License-Identifier: MIT */
/* schedstat.c - reads /proc/PID/task/TID/schedstat, or stat where the kernel has no such file; and
 * the mask of CPUs. */
#include "collector/outside/schedstat.h"

#include <stdio.h>
#include <unistd.h>

#include "collector/session/clock.h"
#include "collector/session/procstat.h"

static bool read_stat(int pid, uint32_t thread, struct cputimes_reading *out)
{
	unsigned long long user, system;
	long a_second = sysconf(_SC_CLK_TCK);
	struct procstat stat;
	const char *times = a_second > 0 && procstat_read(&stat, pid, (pid_t)thread)
				    ? procstat_field(&stat, PROCSTAT_UTIME)
				    : NULL;

	if (!times || sscanf(times, "%llu %llu", &user, &system) != 2) /* and STIME behind it */
		return false;
	/* in ticks of mostly 10 ms: coarse, but sums of a long run are no worse for it */
	*out = (struct cputimes_reading){ .run_ns = (user + system) *
						    (1000000000u / (unsigned long long)a_second) };
	return true;
}

enum cputimes_source schedstat_read(void *pid, uint32_t thread, struct cputimes_reading *out)
{
	int process = *(const int *)pid;
	enum cputimes_source source = CPUTIMES_UNKNOWN;

	/* all threads in one reading, with those that have ended, which /proc no longer lists */
	if (!thread)
		return process > 0 && clock_process_ns((uint32_t)process, &out->run_ns)
			       ? CPUTIMES_CLOCK
			       : CPUTIMES_UNKNOWN;
	if (process > 0 && cputimes_read_schedstat(process, thread, out))
		source = CPUTIMES_SCHEDSTAT;
	else if (process > 0 && read_stat(process, thread, out))
		source = CPUTIMES_STAT;
	if (source != CPUTIMES_UNKNOWN) /* else the number may be of another PID namespace */
		cputimes_read_mask(thread, &out->mask);
	return source;
}
