/* SPDX-License-Identifier: MIT */
/* waits.c - reads clocks and schedstat by bare system calls: the program may have its own open(). */
#include "collector/inside/waits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/cputime.h"

/* "RUN WAIT TIMES", in ns; a kernel that does not count says 0 each. */
static bool read_wait(uint32_t thread, uint64_t *ns)
{
	unsigned long long run_ns, wait_ns, n_times;
	char text[128];
	long fd, n;

	snprintf(text, sizeof(text), "/proc/self/task/%u/schedstat", thread);
	fd = syscall(SYS_openat, AT_FDCWD, text, O_RDONLY | O_CLOEXEC);
	if (fd < 0) /* no /proc, a sandbox, too many open files: they may be there next time */
		return false;
	n = syscall(SYS_read, fd, text, sizeof(text) - 1);
	syscall(SYS_close, fd);
	text[n > 0 ? n : 0] = 0;
	if (sscanf(text, "%llu %llu %llu", &run_ns, &wait_ns, &n_times) != 3 || !n_times)
		return false;
	*ns = wait_ns;
	return true;
}

enum cputimes_source waits_read(void *arg, uint32_t thread, struct cputimes_reading *out)
{
	int saved = errno;

	(void)arg;
	out->has_wait = read_wait(thread, &out->wait_ns);
	errno = saved;
	return cputime_of(thread, &out->run_ns) ? CPUTIMES_CLOCK : CPUTIMES_UNKNOWN;
}
