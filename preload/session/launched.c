/* SPDX-License-Identifier: MIT */
/* launched.c - one byte of memory, sealed so that nothing else is taken for it. */
#include "preload/session/launched.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/session/file_limit.h"

#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW)

/* Files may be limited to no byte. */
static int make_longer(int fd)
{
	struct file_limit held = file_limit_hold();
	int error = ftruncate(fd, 1);

	file_limit_release(&held);
	return error;
}

int launched_make(char *path, size_t room)
{
	int fd = memfd_create("tptrace-launched", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && (make_longer(fd) < 0 || fcntl(fd, F_ADD_SEALS, SEALS) < 0)) {
		close(fd);
		fd = -1;
	}
	snprintf(path, room, "/proc/%d/fd/%d", (int)getpid(), fd);
	return fd;
}

bool launched_is_ticked(int fd)
{
	char byte = 0;

	return fd >= 0 && pread(fd, &byte, 1, 0) == 1 && byte;
}

char *launched_byte(int fd)
{
	char *byte = fd < 0 ? MAP_FAILED : mmap(NULL, 1, PROT_WRITE, MAP_SHARED, fd, 0);

	return byte == MAP_FAILED ? NULL : byte;
}

/* record may be gone, and its number be another process's: only such memory is written to. */
char *launched_byte_by(const char *value)
{
	const char *path = value ? strchr(value, ' ') : NULL;
	int fd = path ? open(path + 1, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	char *byte;

	if (fd < 0)
		return NULL;
	byte = fcntl(fd, F_GET_SEALS) == SEALS ? launched_byte(fd) : NULL;
	close(fd);
	return byte;
}

/* In the traced process, too: a store has no limit, at which pwrite() would send SIGXFSZ. */
void launched_tick(char *byte)
{
	if (byte)
		*byte = 'y';
}
