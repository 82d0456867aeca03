/* SPDX-License-Identifier: MIT */
/* cpu_waits.c - reads clocks and schedstat by bare system calls: the program may have its own
 * open().
 */
#include "preload/inside/cpu_waits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/session/clock.h"

static bool read_schedstat(uint32_t thread, struct cputimes_reading *out)
{
	char text[128];
	long fd, n;

	snprintf(text, sizeof(text), "/proc/self/task/%u/schedstat", thread);
	fd = syscall(SYS_openat, AT_FDCWD, text, O_RDONLY | O_CLOEXEC);
	if (fd < 0) /* no /proc, a sandbox, too many open files: they may be there next time */
		return false;
	n = syscall(SYS_read, fd, text, sizeof(text) - 1);
	syscall(SYS_close, fd);
	text[n > 0 ? n : 0] = 0;
	return cputimes_of_schedstat(text, out);
}

/* Without the thread that asks, which is the recorder's. */
static enum cputimes_source read_process(struct cputimes_reading *out)
{
	uint64_t own_ns, all_ns;

	if (!clock_cpu_ns(0, &own_ns) || !clock_process_ns(0, &all_ns))
		return CPUTIMES_UNKNOWN;
	out->run_ns = all_ns > own_ns ? all_ns - own_ns : 0;
	return CPUTIMES_CLOCK;
}

enum cputimes_source waits_read(void *arg, uint32_t thread, struct cputimes_reading *out)
{
	int saved = errno;

	(void)arg;
	if (!thread)
		return read_process(out);
	out->has_wait = read_schedstat(thread, out);
	cputimes_read_mask(thread, &out->mask);
	errno = saved;
	return clock_cpu_ns(thread, &out->run_ns) ? CPUTIMES_CLOCK : CPUTIMES_UNKNOWN;
}
