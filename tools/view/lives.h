/* SPDX-License-Identifier: MIT */
/*
 * lives.h - what a page that leaves strands out is chosen by: where each task begins and how deep
 * in the tree it is, and of each row all of its strands.
 */
#pragma once

#include "tools/dag/dag.h"

#define LIVES_DEEP UINT16_MAX

struct lives {
	/* by task */
	strand_id *first; /* STRAND_NONE: it did not begin */
	uint32_t *n_strands;
	uint16_t *depth; /* LIVES_DEEP: that, or more */
	/* by row: strand[row_first[r]] up to row_first[r + 1], in order of start, without nodes */
	strand_id *strand;
	uint64_t *row_first;
};

/* `row`: by worker; n_rows of them. */
void lives_build(struct lives *lives, const struct dag *dag, const uint32_t *row, uint32_t n_rows);
void lives_chosen(struct lives *lives); /* `first` alone is needed any more */
void lives_free(struct lives *lives);	/* a zeroed one is fine */

/* The task that created it; TASK_NONE if the trace does not say. */
task_id lives_parent(const struct lives *lives, const struct dag *dag, task_id task);
/* How many strands of the row, from its first on, begin before that. */
uint64_t lives_before(const struct lives *lives, const struct dag *dag, uint32_t row, uint64_t ns);
