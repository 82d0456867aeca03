/* SPDX-License-Identifier: MIT */
/*
 * alike.h - a built graph with other kinds.
 *
 * It has a kind for each site.  alike_join() merges those of the same code, which several places
 * create, or of which a compiler made copies, and keeps the graph as it was for `--by site`.
 * callpaths_build() has a kind for each code and call path that made its tasks.  Either graph
 * borrows all but its arrays by kind and task from the other, which must outlive it.
 */
#pragma once

#include "tools/dag/dag.h"

/*
 * code[k] <= k is the first kind of the same code, with a `what` and runtimes like its own.  The
 * graph has fewer kinds then, in the same order.  *apart is the graph as it was.
 */
void alike_join(struct dag *dag, const kind_id *code, struct dag *apart);
void alike_free(struct dag *apart); /* a zeroed one is fine */

/* Tasks whose call path is unknown are of the path 0.  A graph with collapsed tasks has no call
 * paths. */
struct callpaths {
	struct dag dag;
	kind_id *base;	/* by kind: that of the graph it was made from; NULL: nothing is here */
	uint32_t *path; /* by kind: in the trace's definitions */
};

/* code[k]: the least kind of the same code. */
void callpaths_build(struct callpaths *callpaths, const struct dag *dag, const kind_id *code);
void callpaths_free(struct callpaths *callpaths); /* a zeroed one is fine */
