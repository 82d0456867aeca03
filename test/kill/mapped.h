/* SPDX-License-Identifier: MIT */
/* mapped.h - a file that a test and its program share. */
#pragma once

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

/* So many bytes of the file that the variable names, until the program ends; NULL without one. */
static inline void *mapped(const char *variable, size_t bytes)
{
	const char *path = getenv(variable);
	int fd = path ? open(path, O_RDWR) : -1;
	void *map = fd < 0 ? MAP_FAILED
			   : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return map == MAP_FAILED ? NULL : map;
}
