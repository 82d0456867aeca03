/* SPDX-License-Identifier: MIT */
/* dag.c - questions that a finished dag answers. */
#include "tools/dag/dag.h"

#include <stdlib.h>

const char *const edge_kind_name[EDGE_KINDS] = { "create", "create_cont", "wait_cont",
						 "join",   "depend",	  "sync" };
const char *const kind_what_name[KIND_WHATS] = { "root", "implicit", "task", "loop" };

strand_id dag_releaser(const struct dag *dag, strand_id s)
{
	uint32_t stop = dag->strand[s + 1].first_in;
	strand_id best = STRAND_NONE;
	uint64_t best_end = 0;

	for (uint32_t e = dag->strand[s].first_in; e < stop; e++) {
		uint64_t end = dag_end(dag, dag->from[e]);

		if (best == STRAND_NONE || end > best_end) {
			best = dag->from[e];
			best_end = end;
		}
	}
	return best;
}

/*
 * A strand that ended by CREATE or FORK leads to its own task or to the created one; one that
 * ended by WAIT, YIELD or SIGNAL to its own task, or as an arrival into a barrier's node, or as
 * a signal to who waited for it; one that ended its task to a join or a dependent.
 */
enum edge_kind dag_edge_kind(const struct dag *dag, strand_id from, strand_id to)
{
	const struct strand *a = &dag->strand[from], *b = &dag->strand[to];

	if ((a->flags | b->flags) & STRAND_NODE)
		return EDGE_JOIN;
	if (a->task == b->task)
		return a->ended_by == WIRE_CREATE || a->ended_by == WIRE_FORK ? EDGE_CREATE_CONT
									     : EDGE_WAIT_CONT;
	if (a->ended_by == WIRE_CREATE || a->ended_by == WIRE_FORK)
		return EDGE_CREATE;
	if (b->flags & STRAND_FIRST)
		return EDGE_DEPEND;
	return a->ended_by == WIRE_SIGNAL && !(b->flags & STRAND_JOINS) ? EDGE_SYNC : EDGE_JOIN;
}

void dag_free(struct dag *dag)
{
	free(dag->strand);
	free(dag->from);
	free(dag->task_kind);
	free(dag->task_parent);
	free(dag->task_state);
	free(dag->kind_what);
	*dag = (struct dag){ 0 };
}

const char *dag_check(const struct dag *dag)
{
	for (strand_id s = 0; s < dag->n_strands; s++) {
		const struct strand *strand = &dag->strand[s];

		if (dag_start(dag, s) > dag_end(dag, s))
			return "a strand ends before it starts";
		if (dag_end(dag, s) > dag->elapsed_ns)
			return "a strand ends after the window";
		if (!dag_is_node(dag, s) && strand->task >= dag->n_tasks)
			return "a strand has no task";
		if (strand->first_in > strand[1].first_in || strand[1].first_in > dag->n_edges)
			return "edges are out of order";
		for (uint32_t e = strand->first_in; e < strand[1].first_in; e++) {
			if (dag->from[e] >= s)
				return "an edge leads backwards";
			if (dag_end(dag, dag->from[e]) > dag_start(dag, s))
				return "a strand starts before its predecessor has ended";
		}
	}
	return NULL;
}
