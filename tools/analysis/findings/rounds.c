/* SPDX-License-Identifier: MIT */
/* rounds.c - from when to when there are tasks. */
#include "tools/analysis/findings/rounds.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"

/* Whether it is of a task; `explicit`: of one that is no member of a team. */
static bool is_of_task(const struct dag *dag, strand_id s, bool explicit)
{
	uint8_t what = dag_is_node(dag, s) ? KIND_ROOT : dag->kind_what[dag_kind(dag, s)];

	return what != KIND_ROOT && !(explicit && what == KIND_IMPLICIT);
}

void rounds_finish(struct rounds *rounds, const struct dag *dag)
{
	bool explicit = true;
	strand_id first = 0;

	while (first < dag->n_strands && !is_of_task(dag, first, explicit))
		if (++first == dag->n_strands && explicit) {
			explicit = false;
			first = 0;
		}
	rounds->tasks_from_ns = first < dag->n_strands ? dag_start(dag, first) : UINT64_MAX;
	/* downward, few end later yet, and soon none can */
	for (strand_id s = dag->n_strands;
	     s-- > first && dag_start(dag, s) + rounds->longest_ns > rounds->tasks_to_ns;)
		if (dag_end(dag, s) > rounds->tasks_to_ns && is_of_task(dag, s, explicit))
			rounds->tasks_to_ns = dag_end(dag, s);
}

void rounds_open(struct rounds *rounds, const struct dag *dag)
{
	*rounds = (struct rounds){ .kind = xcalloc(dag->n_kinds + 1ull, sizeof(*rounds->kind)),
				   .wait = xcalloc(dag->n_waits + 1ull, sizeof(*rounds->wait)) };
}

void rounds_free(struct rounds *rounds)
{
	free(rounds->kind);
	free(rounds->wait);
	*rounds = (struct rounds){ 0 };
}
