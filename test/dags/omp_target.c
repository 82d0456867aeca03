/* SPDX-License-Identifier: MIT */
/* omp_target.c - target tasks among others, which the host runs; libomp has threads of its own for
 * them.  GCC 12 takes no iterator there: a node with fewer predecessors reads what nobody writes.
 */
#include "dags.h"

static char out[DAGS_NODES], unwritten;

static char *before(int i, int k)
{
	return k < dags_node[i].n_before ? &out[dags_node[i].before[k]] : &unwritten;
}

void dags_run(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < dags_n; i++) {
		char *a = before(i, 0), *b = before(i, 1), *c = before(i, 2), *d = before(i, 3);

		if (i % 3 == 0) {
#pragma omp task depend(in : *a, *b, *c, *d) depend(out : out[i])
			dags_body(i);
		} else {
#pragma omp target nowait depend(in : *a, *b, *c, *d) depend(out : out[i])
			dags_body(i);
		}
	}
}
