/* SPDX-License-Identifier: MIT */
/*
 * rounds.h - when there are tasks, who runs them, and how many are created from wait to wait.
 *
 * Built in the pass of ahead.h, which meets the strands in their order; read-only from then on.
 */
#pragma once

#include "tools/analysis/findings/crowd.h"
#include "tools/base/at_most.h"

/* Tasks of a kind, but for collapsed ones. */
struct kind_rounds {
	struct majority ran;
	struct crowd crowd;
};

/* Waits of one site. */
struct wait_rounds {
	uint64_t n_ends;    /* strands that wait there, .. */
	uint64_t n_single;  /* .. of these, after one creation alone since the wait before .. */
	uint64_t single_ns; /* .. so soon */
};

struct rounds {
	struct kind_rounds *kind; /* dag->n_kinds */
	struct wait_rounds *wait; /* dag->n_waits */
	struct majority ran_collapsed;
	/* from the first to the last strand of a task; of a program that has none, of members of
	 * teams */
	uint64_t tasks_from_ns, tasks_to_ns;
	uint64_t longest_ns; /* no strand is longer */
};

void rounds_open(struct rounds *rounds, const struct dag *dag);
void rounds_finish(struct rounds *rounds, const struct dag *dag); /* once all were taken */
void rounds_free(struct rounds *rounds);			  /* a zeroed one is fine */

static inline void rounds_note_begin(struct kind_rounds *kind, const struct dag *dag, strand_id s)
{
	strand_id from = dag->strand[s].pred; /* which created or forked it */
	uint32_t worker = dag->strand[s].worker;

	majority_add(&kind->ran, worker, 1);
	if (from != STRAND_NONE && !dag_is_node(dag, from))
		crowd_add(&kind->crowd, dag->strand[from].task, worker, dag_start(dag, s));
}

static inline bool rounds_is_created_from(const struct dag *dag, strand_id s)
{
	return s != STRAND_NONE && (dag->how[s] & STRAND_ENDED_BY) == WIRE_CREATE;
}

/* It waits there: whether its task created one task alone since it waited before. */
static inline void rounds_note_wait(struct wait_rounds *wait, const struct dag *dag, strand_id s)
{
	strand_id pred = dag->strand[s].pred;

	wait->n_ends++;
	if (dag->how[s] & STRAND_FIRST || !rounds_is_created_from(dag, pred) ||
	    (!(dag->how[pred] & STRAND_FIRST) &&
	     rounds_is_created_from(dag, dag->strand[pred].pred)))
		return;
	wait->n_single++;
	wait->single_ns += dag_length(dag, s);
}

/* Takes the next strand that is no node. */
static inline void rounds_note(struct rounds *rounds, const struct dag *dag, strand_id s)
{
	const struct collapsed *collapsed = dag_collapsed(dag, s);

	if (dag->how[s] & STRAND_FIRST)
		rounds_note_begin(&rounds->kind[dag_kind(dag, s)], dag, s);
	if (collapsed)
		majority_add(&rounds->ran_collapsed, dag->strand[s].worker, collapsed->n_tasks);
	if (dag_wait_number(dag, s))
		rounds_note_wait(&rounds->wait[dag_wait_number(dag, s)], dag, s);
	rounds->longest_ns = at_least(rounds->longest_ns, dag_length(dag, s));
}
