/* SPDX-License-Identifier: MIT */
/* schedstat.c - reads /proc/PID/task/TID/schedstat, or stat where the kernel has no such file; and
 * the mask of CPUs. */
#include "collector/outside/schedstat.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STAT_UTIME 14 /* its number in stat, as in proc(5); the next is stime */

static bool read_file(int pid, uint32_t thread, const char *file, char *text, size_t room)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%u/%s", pid, thread, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, room - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

static bool read_schedstat(int pid, uint32_t thread, struct cputimes_reading *out)
{
	char text[128];

	return read_file(pid, thread, "schedstat", text, sizeof(text)) &&
	       cputimes_of_schedstat(text, out);
}

/* "TID (NAME) STATE ..", where NAME may have blanks and brackets. */
static bool read_stat(int pid, uint32_t thread, struct cputimes_reading *out)
{
	unsigned long long user, system;
	long a_second = sysconf(_SC_CLK_TCK);
	char text[1024], *at;

	if (a_second <= 0 || !read_file(pid, thread, "stat", text, sizeof(text)))
		return false;
	at = strrchr(text, ')');
	for (int field = 2; at && field < STAT_UTIME; field++)
		at = strchr(at + 1, ' ');
	if (!at || sscanf(at, "%llu %llu", &user, &system) != 2)
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

	if (process > 0 && read_schedstat(process, thread, out))
		source = CPUTIMES_SCHEDSTAT;
	else if (process > 0 && read_stat(process, thread, out))
		source = CPUTIMES_STAT;
	if (source != CPUTIMES_UNKNOWN) /* else the number may be of another PID namespace */
		cputimes_read_mask(thread, &out->mask);
	return source;
}
