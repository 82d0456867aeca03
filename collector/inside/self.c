/* SPDX-License-Identifier: MIT */
/* self.c - reads /proc/self/stat. */
#include "collector/inside/self.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool self_read(struct self_stat *stat)
{
	int saved = errno;
	long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/stat", O_RDONLY | O_CLOEXEC), n = 0;

	if (fd >= 0) {
		n = syscall(SYS_read, fd, stat->text, sizeof(stat->text) - 1);
		syscall(SYS_close, fd);
	}
	stat->text[n > 0 ? n : 0] = 0;
	errno = saved;
	return n > 0;
}

const char *self_field(const struct self_stat *stat, int number)
{
	const char *at = strrchr(stat->text, ')');

	for (int field = 2; at && field < number; field++)
		at = strchr(at + 1, ' ');
	return at ? at + 1 : NULL;
}
