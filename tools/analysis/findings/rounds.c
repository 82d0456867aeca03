/* SPDX-License-Identifier: MIT */
/* rounds.c - notes creations and begins as the sweep meets them. */
#include "tools/analysis/findings/rounds.h"

/* Whether it is of a task; `explicit`: of one that is no member of a team. */
static bool is_of_task(const struct dag *dag, strand_id s, bool explicit)
{
	uint8_t what = dag_is_node(dag, s) ? KIND_ROOT : dag->kind_what[dag_kind(dag, s)];

	return what != KIND_ROOT && !(explicit && what == KIND_IMPLICIT);
}

void rounds_find_tasks(struct clues *clues)
{
	const struct dag *dag = clues->dag;
	bool explicit = true;
	strand_id first = 0;

	while (first < dag->n_strands && !is_of_task(dag, first, explicit))
		if (++first == dag->n_strands && explicit) {
			explicit = false;
			first = 0;
		}
	clues->tasks_from_ns = first < dag->n_strands ? dag_start(dag, first) : UINT64_MAX;
	for (strand_id s = dag->n_strands; s-- > first;) /* downward, few end later yet */
		if (dag_end(dag, s) > clues->tasks_to_ns && is_of_task(dag, s, explicit))
			clues->tasks_to_ns = dag_end(dag, s);
}

void rounds_begin(struct clues *clues, strand_id s)
{
	const struct dag *dag = clues->dag;
	struct kind_clues *kind = &clues->kind[dag_kind(dag, s)];
	strand_id from = dag->strand[s].pred; /* which created or forked it */
	uint32_t worker = dag->strand[s].worker;

	majority_add(&kind->ran, worker, 1);
	if (from != STRAND_NONE && !dag_is_node(dag, from))
		crowd_add(&kind->crowd, dag->strand[from].task, worker, dag_start(dag, s));
}

static bool is_created_from(const struct dag *dag, strand_id s)
{
	return s != STRAND_NONE && (dag->how[s] & STRAND_ENDED_BY) == WIRE_CREATE;
}

/* Where it waits: whether its task created one task alone since it waited before. */
void rounds_end(struct clues *clues, strand_id s)
{
	const struct dag *dag = clues->dag;
	strand_id pred = dag->strand[s].pred;
	uint16_t number = dag_is_node(dag, s) ? 0 : dag_wait_number(dag, s);
	struct wait_clues *wait = &clues->wait[number];

	if (!number)
		return;
	wait->n_ends++;
	if (dag->how[s] & STRAND_FIRST || !is_created_from(dag, pred) ||
	    (!(dag->how[pred] & STRAND_FIRST) && is_created_from(dag, dag->strand[pred].pred)))
		return;
	wait->n_single++;
	wait->single_ns += dag_length(dag, s);
}
