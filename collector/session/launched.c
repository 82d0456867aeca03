/* SPDX-License-Identifier: MIT */
/* launched.c - makes and maps the memory, sealed so that nothing else is taken for it. */
#include "collector/session/launched.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/session/file_limit.h"

#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW)

/* Files may be limited to no byte. */
static int make_longer(int fd)
{
	struct file_limit held = file_limit_hold();
	int error = ftruncate(fd, sizeof(struct launched));

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

/* Sealed, its length stays.  A filter may forbid to ask. */
struct launched *launched_map(int fd)
{
	long memory = -1, seals = fd < 0 ? 0 : syscall(SYS_fcntl, fd, F_GET_SEALS);

	if (fd >= 0 && (seals == SEALS || (seals < 0 && errno != EINVAL)) &&
	    syscall(SYS_lseek, fd, 0, SEEK_END) == (long)sizeof(struct launched))
		memory = syscall(SYS_mmap, NULL, sizeof(struct launched), PROT_READ | PROT_WRITE,
				 MAP_SHARED, fd, 0);
	return memory == -1 ? NULL : (struct launched *)memory;
}

/* record may be gone, and its number be another process's: only such memory is written to. */
struct launched *launched_map_by(const char *value)
{
	const char *path = value ? strchr(value, ' ') : NULL;
	struct launched *launched;
	long fd = path ? syscall(SYS_openat, AT_FDCWD, path + 1,
				 O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
		       : -1;

	if (fd < 0)
		return NULL;
	launched = launched_map((int)fd);
	syscall(SYS_close, fd);
	return launched;
}

/* In the traced process, too: a store has no limit, at which pwrite() would send SIGXFSZ. */
void launched_tick(struct launched *launched)
{
	if (launched)
		atomic_store(&launched->ticked, 1);
}
