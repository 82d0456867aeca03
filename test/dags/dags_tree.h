/* SPDX-License-Identifier: MIT */
/* dags_tree.h - a tree of tasks that wait for their children, by a seed. */
#pragma once

#define DAGS_TREE
#include "test/dags/dags.h"

/*
 * A task's code before its children is a node, and so is that behind its wait for them.  Where
 * there are none both are the same.
 */
static struct {
	int n_children, child[DAGS_BEFORE], last;
} dags_task[DAGS_NODES]; /* by its first node */

/* The task's first node; `open`: how many nodes those above it need still. */
static int dags_grow(int open, int depth)
{
	int me = dags_n++, n = depth < 4 ? (int)dags_random(DAGS_BEFORE + 1) : 0;

	dags_node[me].count = 20000 + (long)dags_random(400000) * (dags_random(4) == 0);
	dags_task[me].last = me;
	for (int k = 0; k < n && dags_n + open + 3 <= DAGS_NODES; k++) {
		int child = dags_grow(open + 1, depth + 1);

		dags_task[me].child[dags_task[me].n_children++] = child;
		dags_link(me, child);
	}
	if (dags_task[me].n_children == 0)
		return me;
	dags_task[me].last = dags_n++;
	dags_node[dags_task[me].last].count = 20000;
	dags_link(me, dags_task[me].last);
	for (int k = 0; k < dags_task[me].n_children; k++)
		dags_link(dags_task[dags_task[me].child[k]].last, dags_task[me].last);
	return me;
}

/* The tree of a seed whose root has children. */
static void dags_make_tree(unsigned seed)
{
	dags_state = seed * 2654435761u + 1;
	while (dags_n < 2) {
		dags_n = 0;
		dags_grow(0, 0);
	}
}
