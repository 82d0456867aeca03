/* SPDX-License-Identifier: MIT */
/*
 * file.h - writes a trace file: header, blocks, index, footer; appended only.
 *
 * Used by one thread at a time; others may look meanwhile, atomically, whether there is an error.
 * The first error ends the writing: the file is cut back to its last whole block, so that what was
 * written stays readable, and all later calls do nothing and return that error again.
 *
 * Unless room is reserved: then the file is full, and what belongs to its end (trace_file_mark())
 * is still written, as far as that goes.  The room is the disk's own beyond the end of the file
 * (fallocate), or zero bytes where a file system cannot do that, and stays within `ulimit -f`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "collector/trace/err.h"
#include "collector/trace/wire.h"

#define TRACE_FILE_WORKER_BYTES 256u /* that the gaps of a worker take at its end */

struct trace_file {
	int fd;	   /* -1 when there is none */
	int error; /* the first -errno, and its text is in err */
	int full;  /* likewise, where room is reserved: then `error` is 0 */
	struct err err;
	uint64_t reserve_bytes; /* for its end, but for index and gaps; the owner's to set once, and
				 * less where the disk has less; 0: none */
	uint64_t reserved;	/* the disk has room up to there */
	uint64_t bytes;		/* written so far */
	uint64_t n_events, n_blocks;
	uint32_t n_workers;		/* 1 + the largest that has a block */
	uint16_t flags;			/* of each block that is put */
	struct wire_block *index;	/* n_blocks of them */
	uint64_t end_bytes, end_blocks; /* where the end begins, if trace_file_mark() said so */
	bool unindexed; /* the index lacks a block that is there */
	bool marked, finished; /* it has its end */
	char *path;
	uint64_t device, inode; /* of the file: the program may have closed our descriptor */
};

/*
 * Makes a new file at path, by the umask; fails if there is one, or with a link in its place.
 * -EEXIST is the caller's to handle, by another name.
 */
int trace_file_create(struct trace_file *file, const char *path);

/*
 * The same in two steps, so that nobody ever sees a file without its header: begin, in the folder
 * of path, and then name it.  begin: 0, or less than that where this cannot be done, and *file is
 * as it was.  name: 0 or -errno, and the file is as it was; a name that it has goes.
 */
int trace_file_begin(struct trace_file *file, const char *path);
int trace_file_name(struct trace_file *file, const char *path);

/* The same on a descriptor that is open for writing; it is the file's from now on. */
int trace_file_on(struct trace_file *file, int fd, const char *path);

/*
 * Opens a trace that has no end, to go on with it behind its last whole block, once
 * trace_file_cut() has cut off what is there.  It must be a file of this user's, and no link.  Each
 * 0 or -errno, told in file->err.
 */
int trace_file_resume(struct trace_file *file, const char *path);
int trace_file_cut(struct trace_file *file);

/* Opens anybody's trace, to look at its blocks and whether it is finished.  Likewise. */
int trace_file_look(struct trace_file *file, const char *path);

/* As if that had no room: for who has no memory to make a block.  Where no room is reserved for the
 * end, it ends the writing. */
int trace_file_no_memory(struct trace_file *file, const char *doing);

/* Reserves room for so many bytes and the end behind them: 0, or why there is none. */
int trace_file_room(struct trace_file *file, uint64_t bytes);

/* Appends a block whose header is filled but for offset and check.  Who puts many needs to look at
 * `error` once, behind the last, as with ferror(). */
int trace_file_put(struct trace_file *file, struct wire_block *block, const void *body);

/* How many blocks of events it has of a worker, and, if any, the time at which the last ends. */
uint32_t trace_file_blocks_of(const struct trace_file *file, uint32_t worker, uint64_t *last_units);

/* Appends lines of definitions (defs.h), or as they are, where there is no memory to pack them. */
int trace_file_put_defs(struct trace_file *file, const char *text, size_t bytes);

/*
 * Copies the trace as it is now to `to`, a new file at path, which goes on from there.  0 or
 * -errno, told in `to`.
 */
int trace_file_copy(struct trace_file *to, const struct trace_file *from, const char *path);

/* Ends the writing for a reason of the caller's: err tells it.  Returns -code. */
int trace_file_fail(struct trace_file *file, int code, const char *doing);

/*
 * All that is put from here on belongs to the end: once the file is finished, the next mark or
 * block takes all of it back.  0, or the error that ended the writing.
 */
int trace_file_mark(struct trace_file *file);

/* Takes the end back now, if there is one.  0, or the error that ended the writing. */
int trace_file_go_on(struct trace_file *file);

/* Takes back all but the header, and the error that ended the writing.  0, or another error. */
int trace_file_empty(struct trace_file *file);

/* Appends the index and the footer: a clean end.  The file stays open. */
int trace_file_finish(struct trace_file *file);

/*
 * The finished file takes the name of an earlier one, which is closed and gone.  Where that cannot
 * be, or the file failed, both stay as they are.
 */
void trace_file_replace(struct trace_file *file, struct trace_file *earlier);

/* Closes it as it is.  A zeroed struct with fd -1 is fine. */
void trace_file_close(struct trace_file *file);
