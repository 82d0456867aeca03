/* SPDX-License-Identifier: MIT */
/* shared.c - makes the file that holds the session and the rings, and maps it piece by piece. */
#include "preload/shared.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "preload/wire.h"

#define RING_FOLDER "/dev/shm"
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static struct {
	char path[80];
	char *last_page; /* of what is mapped so far */
	size_t stride;
	uint32_t n_left; /* strides that the file has room for */
	bool reserve;
} shared;

const char *shared_path(void)
{
	return shared.path;
}

/* How many strides may follow the head: a file over the limit would get the program killed. */
static uint32_t strides_allowed(size_t head_bytes, size_t stride)
{
	struct rlimit limit;
	uint64_t most = INT64_MAX;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		most = limit.rlim_cur;
	if (most < head_bytes)
		return 0;
	most = (most - head_bytes) / stride;
	return most < WIRE_WORKERS ? (uint32_t)most : WIRE_WORKERS;
}

static int make_memfd(void)
{
	return memfd_create("tptrace", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

/* The name cannot be guessed, and a file that is there is never opened. */
static int make_ring_file(char *path, size_t room)
{
	uint64_t random[2];
	int fd;

	if (getrandom(random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		return -1;
	snprintf(path, room, RING_FOLDER "/tptrace.%d.%016llx%016llx", (int)getpid(),
		 (unsigned long long)random[0], (unsigned long long)random[1]);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	close(fd);
	unlink(path);
	return -1;
}

/* Leaves at least half of what is free to those whom the folder is for. */
static bool folder_has(size_t bytes)
{
	struct statvfs fs;

	return statvfs(RING_FOLDER, &fs) == 0 &&
	       (uint64_t)fs.f_bavail * fs.f_bsize / 2 >= (uint64_t)bytes;
}

static void *map_head(int fd, size_t head_bytes, size_t stride, uint32_t n)
{
	void *head;

	if (fd < 0 || ftruncate(fd, (off_t)(head_bytes + (uint64_t)n * stride)) < 0)
		return NULL;
	head = mmap(NULL, head_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return head == MAP_FAILED ? NULL : head;
}

void *shared_make(enum shared_home home, size_t head_bytes, size_t stride, int *fd)
{
	uint32_t n = strides_allowed(head_bytes, stride);
	char path[sizeof(shared.path)] = "";
	void *head = NULL;

	*fd = -1;
	if (n == 0 || (home == SHARED_RING_FILE && !folder_has(stride)))
		return NULL;
	*fd = home == SHARED_MEMFD ? make_memfd() : make_ring_file(path, sizeof(path));
	head = map_head(*fd, head_bytes, stride, n);
	if (!head) {
		if (*fd >= 0)
			close(*fd);
		if (*fd >= 0 && path[0])
			unlink(path);
		*fd = -1;
		return NULL;
	}
	memcpy(shared.path, path, sizeof(path));
	shared.last_page = (char *)head + head_bytes - shared_pages(1);
	shared.stride = stride;
	shared.n_left = n;
	shared.reserve = home == SHARED_RING_FILE;
	return head;
}

bool shared_reserve(const void *at, size_t bytes)
{
	size_t page = shared_pages(1);
	uintptr_t first = (uintptr_t)at / page * page;

	if (!shared.reserve)
		return true;
	return madvise((void *)first, (uintptr_t)at + bytes - first, MADV_POPULATE_WRITE) == 0;
}

/*
 * mremap(2) of no bytes of a shared mapping makes a second mapping from there on, and it may be
 * longer: from the last page that is mapped it reaches the stride that follows.
 */
void *shared_more(size_t own_bytes)
{
	size_t page = shared_pages(1);
	char *more;

	if (shared.reserve && !folder_has(shared.stride))
		shared.n_left = 0;
	if (shared.n_left == 0)
		return NULL;
	more = mremap(shared.last_page, 0, page + shared.stride, MREMAP_MAYMOVE);
	if (more == MAP_FAILED || !shared_reserve(more + page, shared.stride) ||
	    mmap(more + page, own_bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
		if (more != MAP_FAILED)
			munmap(more, page + shared.stride);
		shared.n_left = 0; /* the next one's place would not be the next in the file */
		return NULL;
	}
	munmap(more, page);
	shared.last_page = more + shared.stride; /* page + stride - page */
	shared.n_left--;
	return more + page;
}

void shared_remove(void)
{
	if (shared.path[0])
		unlink(shared.path);
	shared.path[0] = 0;
}

void shared_forget(void)
{
	memset(&shared, 0, sizeof(shared));
}
