/* SPDX-License-Identifier: MIT */
/* omp_depobj.c - depend objects, of inout and in, that four tasks at most name each. */
#include <omp.h>

#include "dags.h"

static char out[DAGS_NODES];
static omp_depend_t in_of[DAGS_NODES];

static omp_depend_t *in(const struct dags_node *node, int k)
{
	return &in_of[node->before[k]];
}

void dags_run(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < dags_n; i++) {
#pragma omp depobj(in_of[i]) depend(in : out[i])
		}
		for (int i = 0; i < dags_n; i++) {
			const struct dags_node *node = &dags_node[i];
			omp_depend_t *in0 = in(node, 0), *in1 = in(node, 1);
			omp_depend_t *in2 = in(node, 2), *in3 = in(node, 3);

			switch (node->n_before) {
			case 0:
#pragma omp task depend(inout : out[i])
				dags_body(i);
				break;
			case 1:
#pragma omp task depend(inout : out[i]) depend(depobj : *in0)
				dags_body(i);
				break;
			case 2:
#pragma omp task depend(inout : out[i]) depend(depobj : *in0) depend(depobj : *in1)
				dags_body(i);
				break;
			case 3:
#pragma omp task depend(inout                                                                      \
			: out[i]) depend(depobj                                                    \
					 : *in0) depend(depobj                                     \
							: *in1) depend(depobj                      \
								       : *in2)
				dags_body(i);
				break;
			default:
#pragma omp task depend(inout                                                                      \
			: out[i]) depend(depobj                                                    \
					 : *in0) depend(depobj                                     \
							: *in1) depend(depobj                      \
								       : *in2) depend(depobj       \
										      : *in3)
				dags_body(i);
			}
		}
#pragma omp taskwait
		for (int i = 0; i < dags_n; i++) {
#pragma omp depobj(in_of[i]) destroy
		}
	}
}
