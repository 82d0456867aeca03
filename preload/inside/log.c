/* SPDX-License-Identifier: MIT */
/* log.c - writes tptrace's lines to the standard error that the process began with. */
#include "preload/inside/log.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/trace/plain.h"
#include "collector/trace/stat.h"
#include "collector/session/file_limit.h"

#define HEARD_S 1 /* a line waits so long for a reader */

static struct {
	dev_t device;
	ino_t inode;
	bool there;
} standard_error; /* as the process began */

__attribute__((constructor)) static void note_standard_error(void)
{
	struct stat st;

	/* a bare call: a sanitizer that has a fstat() of its own is not there yet */
	standard_error.there = syscall(SYS_fstat, STDERR_FILENO, &st) == 0;
	if (!standard_error.there)
		return;
	standard_error.device = st.st_dev;
	standard_error.inode = st.st_ino;
}

/* Number 2 may have become a file of the program's, which is not for us to write into. */
static bool may_say(void)
{
	struct stat st;

	if (!standard_error.there)
		return false;
	if (stat_fd(STDERR_FILENO, &st) < 0)
		return errno != EBADF; /* a filter forbids it: better said than not */
	return st.st_dev == standard_error.device && st.st_ino == standard_error.inode;
}

/* False if nobody reads: a full pipe, or a terminal that was stopped.  A filter may forbid to ask.
 */
static bool is_heard(void)
{
	struct pollfd out = { .fd = STDERR_FILENO, .events = POLLOUT };
	struct timespec patience = { .tv_sec = HEARD_S }; /* the kernel writes to it */

	return syscall(SYS_ppoll, &out, 1, &patience, NULL, 0) != 0;
}

void log_say(const char *format, ...)
{
	struct file_limit limit;
	char line[600];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	if (n < 0)
		return;
	plain_make(line);
	n = (int)strlen(line);
	line[n++] = '\n';
	if (!may_say() || !is_heard())
		return;
	limit = file_limit_hold(); /* standard error may be a file */
	/* a bare call: write() would be a point where the program's thread may be cancelled */
	if (syscall(SYS_write, STDERR_FILENO, line, (size_t)n) < 0)
		errno = 0; /* nobody reads it any more */
	file_limit_release(&limit);
}
