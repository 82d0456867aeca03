/* SPDX-License-Identifier: MIT */
/*
 * rounds.h - when there are tasks, who runs them, and how many are created from wait to wait.
 *
 * Built in the pass of ahead.h, which meets the strands in their order; read-only from then on.
 */
#pragma once

#include "tools/base/at_most.h"
#include "tools/dag/dag.h"

/* Who ran nearly all: the votes for `worker` are at least those for others, less `net`. */
struct majority {
	uint32_t worker;
	uint64_t net, n;
};

static inline void majority_add(struct majority *majority, uint32_t worker, uint64_t n)
{
	majority->n += n;
	if (majority->net && majority->worker != worker && majority->net >= n) {
		majority->net -= n;
	} else if (majority->net && majority->worker != worker) {
		majority->worker = worker;
		majority->net = n - majority->net;
	} else {
		majority->worker = worker;
		majority->net += n;
	}
}
/* How many of all it ran, at least. */
static inline uint64_t majority_least(const struct majority *majority)
{
	return (majority->n + majority->net) / 2;
}

#define CROWD_TASKS 32u

/*
 * Tasks come in the order in which they begin.  A creator's tasks are a crowd while no other
 * creator's begin between them.  Small crowds say nothing: a task's children run where it does.
 */
struct crowd {
	task_id creator;
	struct majority now; /* of that creator's */
	uint64_t n_ran;	     /* of earlier ones, what one worker ran of each */
	uint64_t n_crowds;   /* of them */
	uint64_t span_ns;    /* of them, from the first begin to the last */
	uint64_t from_ns, to_ns;
};

/* Takes the creator's tasks as complete. */
static inline void crowd_close(struct crowd *crowd)
{
	if (crowd->now.n >= CROWD_TASKS) {
		crowd->n_ran += majority_least(&crowd->now);
		crowd->n_crowds++;
		crowd->span_ns += crowd->to_ns - crowd->from_ns;
	}
	crowd->now = (struct majority){ 0 };
}

static inline void crowd_add(struct crowd *crowd, task_id creator, uint32_t worker, uint64_t now_ns)
{
	if (crowd->now.n && crowd->creator != creator)
		crowd_close(crowd);
	if (!crowd->now.n)
		crowd->from_ns = now_ns;
	crowd->to_ns = now_ns;
	crowd->creator = creator;
	majority_add(&crowd->now, worker, 1);
}

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
