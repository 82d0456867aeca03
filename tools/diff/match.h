/* SPDX-License-Identifier: MIT */
/*
 * match.h - which items of several runs are the same code, though lines and files may have moved.
 *
 * Items of one name and file are the same where no run has two of them.  Where runs have as many of
 * them as each other, they are paired in the order of their lines, or, if tasks and times then
 * differ less, first at lines that all have; else by the line itself.  A name whose file is another
 * one in other runs is the same, too, and so is another name at the same line of the same file,
 * where no run has both.
 *
 * The order of the runs makes no difference.
 */
#pragma once

#include "tools/diff/outcome.h"

struct matches {
	uint32_t n, n_runs;
	const struct item **item; /* [row * n_runs + run]: borrowed; NULL: the run has none */
};

/* Of one list of each run. */
void matches_build(struct matches *matches, const struct outcome *const *run, uint32_t n_runs,
		   enum list list);
void matches_free(struct matches *matches); /* a zeroed one is fine */

/* A value of that run in that row; 0 where it has none. */
uint64_t matches_value(const struct matches *matches, uint32_t row, uint32_t run, enum value value);
/* What the row is called: as the last run that has it says. */
const struct item *matches_name(const struct matches *matches, uint32_t row);
