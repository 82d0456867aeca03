/* SPDX-License-Identifier: MIT */
/*
 * omp_wait_depend.c - each fourth node is the creator's own, behind a taskwait with depend; by odd
 * seeds it is an undeferred task with depend.  The others have their dependences by an iterator.
 *
 * Whatever the creator creates comes after its last own node.  An undeferred task is no part of the
 * creator, which waits for it, or for its predecessors first: paths around it change nothing.
 */
#include <string.h>

#include "dags.h"

static char out[DAGS_NODES];

static int is_own(int node)
{
	return node % 4 == 3;
}

/* An own node behind a wait writes nothing that others could name. */
static int writes(int node)
{
	return dags_seed % 2 || !is_own(node);
}

static void graph_change(void)
{
	int own = -1;

	memset(dags_edge, 0, sizeof(dags_edge));
	for (int i = 0; i < dags_n; i++) {
		for (int k = 0; k < dags_node[i].n_before; k++)
			if (writes(dags_node[i].before[k]))
				dags_link(dags_node[i].before[k], i);
		if (own >= 0)
			dags_link(own, i);
		if (is_own(i))
			own = i;
		for (int via = 0; via < i && dags_seed % 2; via++)
			for (int from = 0; from < via && dags_edge[via][i]; from++)
				dags_may[from][i] |= dags_edge[from][via] | dags_may[from][via];
	}
}

static void node_run(int i)
{
	const struct dags_node *node = &dags_node[i];

	if (!is_own(i)) {
#pragma omp task DAGS_AFTER(node, i)
		dags_body(i);
	} else if (writes(i)) {
#pragma omp task if (0) DAGS_AFTER(node, i)
		dags_body(i);
	} else {
#pragma omp taskwait depend(iterator(k = 0 : node->n_before), in : out[node->before[k]])
		dags_body(i);
	}
}

void dags_run(void)
{
	graph_change();
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < dags_n; i++)
		node_run(i);
}
