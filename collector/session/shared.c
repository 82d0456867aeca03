/* SPDX-License-Identifier: MIT */
/* shared.c - makes the file that holds the session and the rings, and maps it piece by piece. */
#include "collector/session/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/trace/stat.h"
#include "collector/trace/wire.h"
#include "collector/session/file_limit.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static struct {
	char path[80];
	char *last_page; /* of what is mapped so far */
	size_t stride;
	uint64_t next_offset; /* of the next stride in the file */
	uint32_t n_left;      /* strides that the file has room for */
	void *last;	      /* behind the strides; NULL if there is nothing */
	size_t last_bytes;
	uint64_t last_offset;
	bool reserve;
	bool has_fd; /* see keep_fd() */
	int fd;
	dev_t device; /* the file's, as the program may close our descriptor */
	ino_t inode;
} shared;

const char *shared_path(void)
{
	return shared.path;
}

/* How many strides may follow the head. */
static uint32_t strides_allowed(size_t other_bytes, size_t stride)
{
	struct rlimit limit;
	uint64_t most = INT64_MAX;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		most = limit.rlim_cur;
	if (most < other_bytes)
		return 0;
	most = (most - other_bytes) / stride;
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

	/* not for ever: early at boot, init may wait for the process that waits here */
	if (getrandom(random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		return -1;
	snprintf(path, room, RING_FOLDER "/" RING_PREFIX "%d.%016llx%016llx", (int)getpid(),
		 (unsigned long long)random[0], (unsigned long long)random[1]);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	close(fd);
	unlink(path);
	return -1;
}

/*
 * Leaves at least half of what is free to those whom the folder is for.  Where it cannot be seen
 * any more (in a chroot) shared_reserve() finds out alone.
 */
static bool folder_has(size_t bytes)
{
	struct statvfs fs;

	return statvfs(RING_FOLDER, &fs) < 0 ||
	       (uint64_t)fs.f_bavail * fs.f_bsize / 2 >= (uint64_t)bytes;
}

static void *map_part(int fd, size_t bytes, uint64_t offset)
{
	void *part = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);

	return part == MAP_FAILED ? NULL : part;
}

static void *map_head(int fd, const struct shared_sizes *sizes, uint32_t n)
{
	uint64_t bytes = sizes->head + (uint64_t)n * sizes->stride + sizes->last;
	/* RLIMIT_FSIZE is the program's, and a file of this size is mostly holes */
	struct file_limit held = file_limit_hold();
	bool done = fd >= 0 && ftruncate(fd, (off_t)bytes) == 0;

	file_limit_release(&held);
	return done ? map_part(fd, sizes->head, 0) : NULL;
}

static bool fd_is_ours(void)
{
	return shared.has_fd && fd_has(shared.fd, shared.device, shared.inode);
}

static void drop_fd(void)
{
	if (fd_is_ours())
		syscall(SYS_close, shared.fd);
	shared.has_fd = false;
}

/* valgrind refuses a mremap() of no bytes; only there, a descriptor stays open. */
static void keep_fd(int fd)
{
	size_t page = shared_pages(1);
	void *again = mremap(shared.last_page, 0, page, MREMAP_MAYMOVE);
	struct stat st;

	if (again != MAP_FAILED) {
		munmap(again, page);
		return;
	}
	shared.fd = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);
	if (shared.fd < 0 || stat_fd(shared.fd, &st) < 0)
		return;
	shared.device = st.st_dev;
	shared.inode = st.st_ino;
	shared.has_fd = true;
}

/* 0, or -errno: why not even one ring has a place. */
static int check_limits(enum shared_home home, const struct shared_sizes *sizes, uint32_t n)
{
	if (n == 0)
		return -EFBIG;
	return home == SHARED_RING_FILE && !folder_has(sizes->stride) ? -ENOSPC : 0;
}

void *shared_make(enum shared_home home, const struct shared_sizes *sizes, int *fd)
{
	uint32_t n = strides_allowed(sizes->head + sizes->last, sizes->stride);
	char path[sizeof(shared.path)] = "";
	int made, error = check_limits(home, sizes, n);
	void *head = NULL;

	*fd = error;
	if (error)
		return NULL;
	made = home == SHARED_MEMFD ? make_memfd() : make_ring_file(path, sizeof(path));
	head = map_head(made, sizes, n);
	if (!head) {
		*fd = errno ? -errno : -ENOMEM;
		if (made >= 0)
			close(made);
		if (made >= 0 && path[0])
			unlink(path);
		return NULL;
	}
	*fd = made;
	drop_fd();
	memcpy(shared.path, path, sizeof(path));
	shared.last_page = (char *)head + sizes->head - shared_pages(1);
	shared.stride = sizes->stride;
	shared.last_offset = sizes->head + (uint64_t)n * sizes->stride;
	shared.last_bytes = sizes->last;
	shared.last = sizes->last ? map_part(made, sizes->last, shared.last_offset) : NULL;
	shared.n_left = n;
	shared.reserve = home == SHARED_RING_FILE;
	shared.next_offset = sizes->head;
	keep_fd(made);
	return head;
}

void *shared_last(uint64_t *offset)
{
	*offset = shared.last_offset;
	return shared.last;
}

bool shared_reserve(const void *at, size_t bytes)
{
	size_t page = shared_pages(1);
	uintptr_t first = (uintptr_t)at / page * page;

	/* a page of a full /dev/shm that is touched is SIGBUS for the program: ask before */
	if (!shared.reserve)
		return true;
	return madvise((void *)first, (uintptr_t)at + bytes - first, MADV_POPULATE_WRITE) == 0;
}

bool shared_grow(const void *at, size_t bytes)
{
	return !shared.reserve || (folder_has(bytes) && shared_reserve(at, bytes));
}

/*
 * mremap(2) of no bytes of a shared mapping makes a second mapping from there on, and it may be
 * longer: from the last page that is mapped it reaches the stride that follows.
 */
static char *map_next(void)
{
	size_t page = shared_pages(1);
	char *more;

	if (shared.has_fd) {
		more = fd_is_ours() ? mmap(NULL, shared.stride, PROT_READ | PROT_WRITE, MAP_SHARED,
					   shared.fd, (off_t)shared.next_offset)
				    : MAP_FAILED;
		return more == MAP_FAILED ? NULL : more;
	}
	more = mremap(shared.last_page, 0, page + shared.stride, MREMAP_MAYMOVE);
	if (more == MAP_FAILED)
		return NULL;
	munmap(more, page);
	return more + page;
}

void *shared_more(size_t own_bytes, size_t used_bytes)
{
	char *more;

	if (shared.reserve && !folder_has(used_bytes))
		shared.n_left = 0;
	if (shared.n_left == 0)
		return NULL;
	more = map_next();
	/* the worker's own page is no business of the collector's: private memory over the file's
	 */
	if (!more || !shared_reserve(more, used_bytes) ||
	    mmap(more, own_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) == MAP_FAILED) {
		if (more)
			munmap(more, shared.stride);
		shared.n_left = 0; /* the next one's place would not be the next in the file */
		return NULL;
	}
	shared.last_page = more + shared.stride - shared_pages(1);
	shared.next_offset += shared.stride;
	shared.n_left--;
	return more;
}

void shared_remove(void)
{
	if (shared.path[0])
		unlink(shared.path);
	shared.path[0] = 0;
}

void shared_forget(void)
{
	drop_fd();
	if (shared.last)
		munmap(shared.last, shared.last_bytes);
	memset(&shared, 0, sizeof(shared));
}
