/* SPDX-License-Identifier: MIT */
/*
 * folded.h - creation paths as folded stacks, the input of flame graphs: "main;solve;sort 1234".
 *
 * A line for each path with time of the kind asked for, in ns; they add up to the total exactly.
 * Codes that are recursive with one another share a frame, below which each has its own.
 */
#pragma once

#include <stdio.h>
#include "tools/summary/summary.h"

struct path_rows;

enum folded {
	FOLDED_WORK,
	FOLDED_DELAY,
	FOLDED_BLOCKED,
	FOLDED_NO_WORK,
	FOLDED_ALL,
	FOLDED_CODE,
	FOLDED_COUNT
};

/* `all` has a frame for each component below the others; `code` has the stacks of samples below the
 * kinds, with CPU time.  `process` is the first frame; NULL: there
 * is none. */
void folded_print(FILE *out, const struct summary *summary, enum folded what, const char *process);

/* One line, of a path with that time; none if there is no time. */
void folded_put(FILE *out, const struct path_rows *rows, uint32_t path, uint64_t ns);
