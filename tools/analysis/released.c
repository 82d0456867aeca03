/* SPDX-License-Identifier: MIT */
/* released.c - one loop over the strands. */
#include "tools/analysis/released.h"

#include <errno.h>
#include <stdlib.h>

int released_open(struct released *released, const struct dag *dag)
{
	*released = (struct released){ .n = calloc(dag->n_strands + 1ull, 1) };
	return released->n ? 0 : -ENOMEM;
}

int released_add(struct released *released, strand_id from)
{
	uint64_t *n;

	if (from == STRAND_NONE)
		return 0;
	if (released->n[from] < UINT8_MAX - 1) {
		released->n[from]++;
		return 0;
	}
	n = table_put(&released->many, from);
	if (!n)
		return -ENOMEM;
	*n += released->n[from] == UINT8_MAX ? 1 : UINT8_MAX;
	released->n[from] = UINT8_MAX;
	return 0;
}

enum move released_move(const struct dag *dag, strand_id s, strand_id releaser)
{
	if (releaser == STRAND_NONE)
		return MOVE_NONE;
	return released_move_by(dag, s, releaser, dag_edge_kind(dag, releaser, s));
}

int released_count(struct released *released, const struct dag *dag, uint16_t runtimes)
{
	uint32_t hint = 0;
	int error = released_open(released, dag);

	for (strand_id s = 0; s < dag->n_strands && !error; s++)
		if (!dag_is_node(dag, s) && dag_runtimes(dag, s) & runtimes)
			error = released_add(released, ready_path_released_by(dag, s, &hint));
	return error;
}

void released_free(struct released *released)
{
	free(released->n);
	table_free(&released->many);
	*released = (struct released){ 0 };
}
