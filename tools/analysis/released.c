/* SPDX-License-Identifier: MIT */
/* released.c - one loop over the strands. */
#include "tools/analysis/released.h"

void released_open(struct released *released, const struct dag *dag)
{
	few_open(&released->n, dag->n_strands);
}

enum move released_move(const struct dag *dag, strand_id s, strand_id releaser)
{
	if (releaser == STRAND_NONE)
		return MOVE_NONE;
	return released_move_by(dag, s, releaser, dag_edge_kind(dag, releaser, s));
}

void released_count(struct released *released, const struct dag *dag, uint16_t runtimes)
{
	uint32_t hint = 0;

	released_open(released, dag);

	for (strand_id s = 0; s < dag->n_strands; s++)
		if (!dag_is_node(dag, s) && dag_runtimes(dag, s) & runtimes &&
		    !released_outside(dag, s))
			released_add(released, ready_path_released_by(dag, s, &hint));
}

void released_free(struct released *released)
{
	few_free(&released->n);
}
