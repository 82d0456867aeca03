/* SPDX-License-Identifier: MIT */
/*
 * children.h - child processes that do pieces of work, and what they made of each.
 *
 * A child does the pieces of a batch, one after the other.  What it prints, and what it hands over,
 * is kept by piece.  A child that crashes loses the piece that it was at, and no other: another one
 * goes on behind it.  No child outlives the command.  For a process with one thread.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/base/spool.h"

struct crew_done {
	int status;    /* what the work returned; -signal if that ended the child, .. */
	int error;     /* .. or -errno if it could not be begun, or not be kept; else 0 */
	uint32_t rank; /* that did it; 0 without MPI */
	struct spooled out, err, result; /* ours; the first two end with a 0 */
};

void crew_done_free(struct crew_done *done);

struct piece {
	uint32_t number;
	const char *name; /* of a file, or whatever the work is done on */
};

struct batch {
	struct piece *piece;
	uint32_t n;
	char *names; /* NULL, or what the names are a part of */
};

void batch_free(struct batch *batch);

struct child;

struct children {
	/* In the child: its status, not negative.  What it writes to `result` comes back. */
	int (*work)(void *context, const char *name, FILE *result);
	void *context;
	/* Each piece, once; it takes over what is in *done. */
	void (*done)(void *owner, uint32_t number, struct crew_done *done);
	void *owner;
	struct child *child; /* `width` of them */
	uint32_t width;
};

void children_open(struct children *children, uint32_t width);
void children_close(struct children *children); /* none runs */

bool children_idle(const struct children *children); /* whether another one may begin */
bool children_any(const struct children *children);  /* whether one runs */

/* For an idle one.  Takes the batch over: 0; or -errno, and the batch is still the caller's. */
int children_begin(struct children *children, const struct batch *batch);
/* Its pieces from that one on come to nothing. */
void children_fail(struct children *children, const struct batch *batch, uint32_t from, int error);

/* What to wait for, `width` at most; and what to do about it then. */
uint32_t children_polled(const struct children *children, struct pollfd *fd);
void children_look(struct children *children, const struct pollfd *fd, uint32_t n);
