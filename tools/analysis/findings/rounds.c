/* SPDX-License-Identifier: MIT */
/* rounds.c - notes creations and begins in the order of the strands. */
#include "tools/analysis/findings/rounds.h"

#include <errno.h>
#include <stdlib.h>

/* Whether it is of a task; `explicit`: of one that is no member of a team. */
static bool is_of_task(const struct dag *dag, strand_id s, bool explicit)
{
	uint8_t what = dag_is_node(dag, s) ? KIND_ROOT : dag->kind_what[dag_kind(dag, s)];

	return what != KIND_ROOT && !(explicit && what == KIND_IMPLICIT);
}

static void find_tasks(struct rounds *rounds, const struct dag *dag)
{
	bool explicit = true;
	strand_id first = 0;

	while (first < dag->n_strands && !is_of_task(dag, first, explicit))
		if (++first == dag->n_strands && explicit) {
			explicit = false;
			first = 0;
		}
	rounds->tasks_from_ns = first < dag->n_strands ? dag_start(dag, first) : UINT64_MAX;
	for (strand_id s = dag->n_strands; s-- > first;) /* downward, few end later yet */
		if (dag_end(dag, s) > rounds->tasks_to_ns && is_of_task(dag, s, explicit))
			rounds->tasks_to_ns = dag_end(dag, s);
}

static void note_begin(struct kind_rounds *kind, const struct dag *dag, strand_id s)
{
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

/* It waits there: whether its task created one task alone since it waited before. */
static void note_wait(struct wait_rounds *wait, const struct dag *dag, strand_id s)
{
	strand_id pred = dag->strand[s].pred;

	wait->n_ends++;
	if (dag->how[s] & STRAND_FIRST || !is_created_from(dag, pred) ||
	    (!(dag->how[pred] & STRAND_FIRST) && is_created_from(dag, dag->strand[pred].pred)))
		return;
	wait->n_single++;
	wait->single_ns += dag_length(dag, s);
}

int rounds_find(struct rounds *rounds, const struct dag *dag)
{
	*rounds = (struct rounds){ .kind = calloc(dag->n_kinds + 1ull, sizeof(*rounds->kind)),
				   .wait = calloc(dag->n_waits + 1ull, sizeof(*rounds->wait)) };
	if (!rounds->kind || !rounds->wait) {
		rounds_free(rounds);
		return -ENOMEM;
	}
	find_tasks(rounds, dag);
	for (strand_id s = 0; s < dag->n_strands; s++) {
		const struct collapsed *collapsed = dag_collapsed(dag, s);

		if (dag_is_node(dag, s))
			continue;
		if (dag->how[s] & STRAND_FIRST)
			note_begin(&rounds->kind[dag_kind(dag, s)], dag, s);
		if (collapsed)
			majority_add(&rounds->ran_collapsed, dag->strand[s].worker,
				     collapsed->n_tasks);
		if (dag_wait_number(dag, s))
			note_wait(&rounds->wait[dag_wait_number(dag, s)], dag, s);
	}
	return 0;
}

void rounds_free(struct rounds *rounds)
{
	free(rounds->kind);
	free(rounds->wait);
	*rounds = (struct rounds){ 0 };
}
