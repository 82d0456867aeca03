/* SPDX-License-Identifier: MIT */
/*
 * shared.h - memory that outlives the process: one file, the session first, then a ring a worker.
 *
 *	memfd	has no name: a collector outside the process gets its descriptor
 *	ring file	in /dev/shm, for `tptrace recover`; removed at a clean end
 *
 * No descriptor stays open in the process, which may close or count them: a further ring is
 * mapped by way of the mapping before it.  (Under valgrind, which refuses that, one stays open.)
 *
 * The file is as long as all rings that there could be, and takes memory only where it is used.  Of
 * a ring file that memory is had before it is written to, so that a full file system is an error
 * here and not a SIGBUS there.  A ring file is locked (flock) as long as any mapping of it is left,
 * that is, as long as the process lives.
 *
 * All calls are made by one thread at a time (with the session's lock, or before there is one).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "collector/session/exported.h"

#define RING_FOLDER "/dev/shm" /* where ring files are, .. */
#define RING_PREFIX "tptrace." /* .. and how their names begin: PID.RANDOM follows */

enum shared_home { SHARED_MEMFD, SHARED_RING_FILE };

/* Sizes in the file, in whole pages. */
struct shared_sizes {
	size_t head;
	size_t stride; /* of each worker */
	size_t last;   /* behind all workers: the flight recorder's; 0 if there is none */
};

/*
 * Makes the file and maps its head; what was made before stays mapped, and is no longer known.
 * *fd is the caller's.  NULL if it cannot be had; then *fd is -errno, -EFBIG where the limit of a
 * file's size (ulimit -f) is too small.
 */
void *shared_make(enum shared_home home, const struct shared_sizes *sizes, int *fd);

/* What is behind all workers, and where in the file; NULL if there is none.  Each page is to be
 * asked for with shared_grow(). */
void *shared_last(uint64_t *offset);

/* The ring file's path; "" if there is none. */
const char *shared_path(void);

/*
 * Maps the next stride of the file, the first `own_bytes` (whole pages) as private memory in place
 * of the file's.  `used_bytes` of it can be written to, more after shared_grow().  NULL if that
 * fails, or there is no file.
 */
void *shared_more(size_t own_bytes, size_t used_bytes);

/* Sees to it that these bytes can be written to.  False if there is no memory for them. */
bool shared_reserve(const void *at, size_t bytes) EXPORT_AS(shared_reserve);

/* The same for a ring that grows, by any thread; half of what is free in the folder stays free. */
bool shared_grow(const void *at, size_t bytes);

/* Removes the ring file's name, if there is one. */
void shared_remove(void);

/* In a forked child: the file is the parent's. */
void shared_forget(void);

/* Whole pages for so many bytes. */
static inline size_t shared_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}
