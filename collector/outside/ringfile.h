/* SPDX-License-Identifier: MIT */
/*
 * ringfile.h - a ring file, as a process that collected by itself left it
 * (collector/session/shared.h).
 *
 * Everything is copied into memory of our own, and checked there: neither what lies in the file nor
 * who changes it meanwhile can do harm.  An open ring file is locked, so that nobody else recovers
 * it; its process has the same lock as long as it lives.
 *
 * A struct ring is used by one thread.  Functions return 0, or -errno and *err, unless they say
 * otherwise.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include "collector/trace/err.h"
#include "collector/session/shared.h"

#define RING_PATH_MAX 160

struct session;
struct worker;

/* All but path is empty until it is open: { .fd = -1 }. */
struct ring {
	char path[RING_PATH_MAX];
	int fd;
	uint64_t bytes;
	dev_t device;
	ino_t inode;
	struct session *session; /* a copy */
	struct worker *
		*worker; /* copies, for the caller to fill in: those whose ring makes sense */
	uint32_t n_workers;
	bool is_empty; /* nothing was ever recorded in it */
	bool is_done;  /* the caller's: its process wrote the end of the trace, for good */
	bool is_apart; /* the caller's: a flight recorder's, no file has any block of it */
	char *log;     /* a copy of the flight recorder's, up to its end */
};

/* Whether that can be a ring file, by its name: the trace that names it is not trusted. */
bool ring_named(const char *path);

/* Calls `use` with the path of each file of this user's that may be a ring file, by its name: what
 * the calls give, or-ed; -errno if the folder cannot be read. */
int ring_each(int (*use)(const char *path, void *arg), void *arg);

/* Whether that is a ring file whose process has ended.  Changes nothing, and is in nobody's way. */
bool ring_is_left(const char *path);

/* The ring file of the process that was writing that trace, for one that does not name it yet: its
 * path into out[room].  False if there is none. */
bool ring_find(const char *trace, char *out, size_t room);

enum ring_use {
	RING_LOOK, /* beside others who look, and for a moment */
	RING_TAKE, /* waits for those */
};

/* Opens and locks the file, which must be the user's alone.  -EBUSY if its process still lives or
 * somebody else takes it, -EAGAIN if one who looks does not end, -ENOENT if it is gone. */
int ring_open(struct ring *ring, const char *path, enum ring_use use, struct err *err);

/* Copies the session, so that every number in it can be relied on, and makes room for the workers;
 * or finds that the ring is empty, and then does neither. */
int ring_read(struct ring *ring, struct err *err);

/* Copies bytes from an offset of the file.  False if they are not all there. */
bool ring_copy(const struct ring *ring, void *out, size_t bytes, uint64_t at);

/* Copies what the flight recorder kept, as far as it was ever written.  False if it makes no sense
 * or there is no memory. */
bool ring_read_log(struct ring *ring);

/* Whether a block of any worker was ever written; else the ring file has all. */
bool ring_has_blocks(const struct ring *ring);

/* Worker `index` of the ring `arg`, or NULL: for drain_open(). */
struct worker *ring_worker(void *arg, uint32_t index);

/* Removes the file, if it is still the one that was opened.  0 or -errno. */
int ring_remove(const struct ring *ring);

/* Frees the copies and unlocks the file.  Also after a failure. */
void ring_close(struct ring *ring);
