/* SPDX-License-Identifier: MIT */
/*
 * crew.h - pieces of work in child processes, so many at once.
 *
 * A child does some pieces, one after the other.  What they print, and what they hand over, is
 * taken in order, as if there were no children.  A child that crashes loses the piece that it was
 * at, and no other; no child outlives the command.  For a process with one thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct crew_bytes {
	char *at; /* ends with a 0 that is not counted */
	size_t n;
};

struct crew_done {
	int status; /* what the work returned; -signal if that ended the child, .. */
	int error;  /* .. or -errno if it could not be begun, or not be kept; else 0 */
	struct crew_bytes out, err, result;
};

struct crew {
	/* In the child: its status, not negative.  What it writes to `result` comes back. */
	int (*work)(void *context, uint32_t piece, FILE *result);
	/* In order, 0 to n - 1. */
	void (*take)(void *context, uint32_t piece, struct crew_done *done);
	void *context;
};

/* Does n pieces, begun in this order (a permutation), `width` at once.  0 or -ENOMEM. */
int crew_run(const struct crew *crew, const uint32_t *order, uint32_t n, uint32_t width);
