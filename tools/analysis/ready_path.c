/* SPDX-License-Identifier: MIT */
/* ready_path.c - walks the ready path. */
#include "tools/analysis/ready_path.h"

#include <stdlib.h>

#include "tools/base/map.h"

strand_id ready_path_behind(const struct dag *dag, strand_id from)
{
	while (from != STRAND_NONE && dag_is_node(dag, from)) {
		uint32_t no_hint = 0;

		from = dag_releaser(dag, from, &no_hint);
	}
	return from;
}

strand_id ready_path_released_by(const struct dag *dag, strand_id s, uint32_t *hint)
{
	return ready_path_through(dag, dag_releaser(dag, s, hint));
}

strand_id ready_path_last(const struct dag *dag, uint16_t runtimes)
{
	strand_id best = STRAND_NONE;
	bool sure = false; /* none ends later, and the end of this one is told */

	for (strand_id s = dag->n_strands; s-- > 0 && !sure;) {
		if (dag_is_node(dag, s) ||
		    (runtimes != RUNTIMES_ALL && !(dag_runtimes(dag, s) & runtimes)))
			continue;
		if (best == STRAND_NONE || dag_end(dag, s) > dag_end(dag, best) ||
		    (dag_end(dag, s) == dag_end(dag, best) && !(dag->how[best] & STRAND_ENDED_BY)))
			best = s;
		sure = dag->how[best] & STRAND_ENDED_BY && dag_end(dag, best) == dag->elapsed_ns;
	}
	return best;
}

void ready_path_build(struct ready_path *path, const struct dag *dag, uint16_t runtimes)
{
	uint64_t room = 0;
	uint32_t hint = 0;

	*path = (struct ready_path){ 0 };
	for (strand_id s = ready_path_last(dag, runtimes); s != STRAND_NONE;
	     s = ready_path_released_by(dag, s, &hint)) {
		ARRAY_ADD(path->strand, path->n, room, s);
	}
	for (uint32_t i = 0; i < path->n / 2; i++) {
		strand_id s = path->strand[i];

		path->strand[i] = path->strand[path->n - 1 - i];
		path->strand[path->n - 1 - i] = s;
	}
}

void ready_path_free(struct ready_path *path)
{
	free(path->strand);
	*path = (struct ready_path){ 0 };
}
