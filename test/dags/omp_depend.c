/* SPDX-License-Identifier: MIT */
/* omp_depend.c - depend clauses with an iterator over a node's predecessors. */
#include "dags.h"

static char out[DAGS_NODES];

void dags_run(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < dags_n; i++) {
		struct dags_node *node = &dags_node[i];

#pragma omp task DAGS_AFTER(node, i)
		dags_body(i);
	}
}
