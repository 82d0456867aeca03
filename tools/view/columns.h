/* SPDX-License-Identifier: MIT */
/*
 * columns.h - strands, edges and tasks as columns of the page (tools/view/README.md).
 *
 * A column holds what does not follow from the others: a strand's predecessor is its task's strand
 * before, and its releaser is its predecessor, unless a number says otherwise.  Where strands are
 * left out, two more say which they are, and of the tasks what does not follow any more.
 */
#pragma once

#include "tools/analysis/strand_paths.h"
#include "tools/summary/summary.h"
#include "tools/view/keep.h"

/* What the columns are of. */
struct view_run {
	const struct summary *summary;
	const struct dag *dag;
	struct lives lives; /* zeroed if all strands are kept */
	struct keep keep;
	uint32_t *row;	  /* by worker: its row on the page; dag->n_slots of them */
	uint32_t *worker; /* by row */
	uint32_t n_rows;
	bool is_served; /* a server answers for what is left out */
};

/* Writes them. */
void columns_put(FILE *out, const struct view_run *run);
