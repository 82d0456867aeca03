/* SPDX-License-Identifier: MIT */
/*
 * stat.h - stat(2) and fstat(2) as bare system calls, for what may run in the traced process.
 *
 * Another preloaded library may have taken the place of libc's (libfaketime has), and be torn down
 * already when the trace is ended.  Any thread; -1 and errno.
 */
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int stat_path(const char *path, struct stat *st)
{
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, 0);
}

static inline int stat_fd(int fd, struct stat *st)
{
	return (int)syscall(SYS_fstat, fd, st);
}
