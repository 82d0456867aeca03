/* SPDX-License-Identifier: MIT */
/* torn.c - a library, preloaded beside the shim, whose stat() is gone at the end. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int torn;

__attribute__((destructor)) static void tear(void)
{
	torn = 1;
}

int stat(const char *path, struct stat *st)
{
	if (torn)
		abort();
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, 0);
}

int lstat(const char *path, struct stat *st)
{
	if (torn)
		abort();
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int fstat(int fd, struct stat *st)
{
	if (torn)
		abort();
	return (int)syscall(SYS_fstat, fd, st);
}
