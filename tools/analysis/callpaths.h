/* SPDX-License-Identifier: MIT */
/*
 * callpaths.h - the graph once more, with a kind for each code and call path that made its tasks.
 *
 * Tasks whose call path is unknown are of the path 0.  `dag` borrows all but its arrays by kind and
 * task from the graph, which must outlive it.  A graph with collapsed tasks has no call paths.
 */
#pragma once

#include "tools/dag/dag.h"

struct callpaths {
	struct dag dag;
	kind_id *base;	/* by kind: that of the graph it was made from; NULL: nothing is here */
	uint32_t *path; /* by kind: in the trace's definitions */
};

/* code[k]: the least kind of the same code. */
void callpaths_build(struct callpaths *callpaths, const struct dag *dag, const kind_id *code);
void callpaths_free(struct callpaths *callpaths); /* a zeroed one is fine */
