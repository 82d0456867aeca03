/* SPDX-License-Identifier: MIT */
/* room.c - the limit on the address space, and what of it is in use. */
#include "preload/room.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t
	most; /* that all of the process may be before the rest is the program's; 0: unknown */

/* Bytes that are mapped; 0 if that cannot be known. */
static uint64_t bytes_mapped(void)
{
	char text[32] = ""; /* "PAGES .." */
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	return n > 0 ? strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

bool room_for(size_t bytes)
{
	struct rlimit limit;
	uint64_t mapped;

	if (most == 0) {
		most = UINT64_MAX;
		if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
			most = (limit.rlim_cur + bytes_mapped()) / 2;
	}
	if (most == UINT64_MAX)
		return true;
	mapped = bytes_mapped();
	return mapped == 0 || mapped + bytes <= most;
}

void room_forget(void)
{
	most = 0;
}
