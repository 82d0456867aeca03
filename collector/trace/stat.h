/* SPDX-License-Identifier: MIT */
/*
 * stat.h - stat(2) and fstat(2) as bare system calls, for what may run in the traced process, and
 * descriptors that are kept there.
 *
 * Another preloaded library may have taken the place of libc's (libfaketime has), and be torn down
 * already when the trace is ended.  Any thread; -1 and errno.
 */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
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

/* A descriptor from here on is out of the way of the numbers that programs count on; above 63 the
 * kernel takes 10 ms to make its table of descriptors larger. */
#define HIGH_FD 60

/* Whether that file is open there.  A program that closes all descriptors may have one of its own
 * under the same number, and that is not ours to use. */
static inline bool fd_has(int fd, uint64_t device, uint64_t inode)
{
	struct stat st;

	return fd >= 0 && stat_fd(fd, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}
