/* SPDX-License-Identifier: MIT */
/*
 * spool.h - large arrays in a file without a name: more of them than there is memory for.
 *
 * An array is mapped.  Its pages are memory of this process once it has used them, until
 * spool_rest() finds more of such pages than a process needs at a time, and gives all of them back
 * to the file; what they hold stays.  The file is in TMPDIR, /var/tmp or /tmp.  If there is no room
 * for an array, that one is in memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A part of such a file, or memory of malloc(). */
struct spooled {
	char *at;
	size_t n;
	void *map; /* NULL: of malloc() */
	size_t map_bytes;
};

/* -1: there is no place for one.  The caller closes it. */
int spool_file(void);
/* Maps n bytes of the file, which stays the caller's; few bytes are read, and end with a 0 that is
 * not counted.  False: no memory. */
bool spooled_map(struct spooled *spooled, int fd, off_t from, size_t n);
/* Moves many bytes of malloc() to a file of their own, if there is room. */
void spooled_move(struct spooled *spooled);
void spooled_free(struct spooled *spooled);

struct spool {
	struct spooled *array; /* n_arrays */
	uint64_t n_arrays, room;
	int fd;	   /* + 1; 0: none yet */
	int statm; /* + 1, too: how much is in memory */
	off_t bytes;
};

/* n entries, zeroed, until spool_free(). */
void *spool_array(struct spool *spool, uint64_t n, size_t entry_bytes);
/* Gives pages back, if there are many.  It costs a system call: call it once for thousands of
 * entries. */
void spool_rest(struct spool *spool);
void spool_free(struct spool *spool); /* a zeroed one is fine */
