/* SPDX-License-Identifier: MIT */
/* procstat.c - reads /proc/PID/stat. */
#include "collector/session/procstat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool procstat_read(struct procstat *stat, pid_t pid, pid_t thread)
{
	char path[48] = "/proc/self/stat";
	int saved = errno;
	long fd, n = 0;

	if (thread)
		snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)thread);
	else if (pid)
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	/* bare calls: as in cgroup.c, a cancelled thread would end here */
	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = syscall(SYS_read, fd, stat->text, sizeof(stat->text) - 1);
		syscall(SYS_close, fd);
	}
	stat->text[n > 0 ? n : 0] = 0;
	errno = saved;
	return n > 0;
}

const char *procstat_field(const struct procstat *stat, enum procstat_field field)
{
	/* the second field is the name, which may have blanks and brackets */
	const char *at = strrchr(stat->text, ')');

	for (int number = 2; at && number < (int)field; number++)
		at = strchr(at + 1, ' ');
	return at ? at + 1 : NULL;
}
