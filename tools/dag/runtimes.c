/* SPDX-License-Identifier: MIT */
/* runtimes.c - follows from sites, and from who created what. */
#include "tools/dag/runtimes.h"

#include <stdlib.h>

#include "collector/trace/reader.h"

/* The runtime that tasks of a kind are of, as a bit; of roots none. */
static uint16_t runtime_of(const struct state *state, kind_id kind)
{
	const struct defs *defs = reader_defs(state->reader);
	site_id site = state->dag->kind_site[kind];
	uint32_t runtime = site < defs->n_sites ? defs->site[site].runtime : 0;

	return site == SITE_NONE ? 0 : (uint16_t)(1u << runtime % DAG_RUNTIMES);
}

int runtime_note(struct state *state, strand_id creator, task_id task)
{
	struct dag *dag = state->dag;
	uint64_t *bits;

	if (creator == STRAND_NONE || dag_kind(dag, creator) != KIND_OF_ROOTS)
		return 0;
	bits = table_put(&dag->root_runtimes, dag->strand[creator].task);
	if (!bits)
		return state_no_memory(state);
	*bits |= runtime_of(state, dag->task_kind[task]);
	return 0;
}

int runtime_note_unseen(struct state *state, strand_id creator, task_id task)
{
	uint64_t *kept;

	if (creator == STRAND_NONE)
		return 0;
	kept = table_put(&state->dag->creators, task);
	if (!kept)
		return state_no_memory(state);
	*kept = state->dag->strand[creator].task;
	return runtime_note(state, creator, task);
}

static int find_roots(struct state *state)
{
	const struct dag *dag = state->dag;
	int error = 0;

	for (strand_id s = 0; s < dag->n_strands && !error; s++)
		if (dag->how[s] & STRAND_FIRST)
			error = runtime_note(state, dag->strand[s].pred, dag->strand[s].task);
	for (task_id t = 0; t < dag->n_tasks && !error; t++)
		if (!(dag->task_state[t] & TASK_BEGUN))
			error = runtime_note_unseen(state, state->task_last[t], t);
	return error;
}

/* A worker belongs to the runtimes of what it ran; which collapsed tasks it ran is unknown. */
static void find_workers(struct dag *dag)
{
	uint16_t collapsed = 0; /* runtimes that have collapsed tasks */

	for (kind_id k = 0; k < dag->n_kinds; k++)
		if (dag->kind_collapsed[k])
			collapsed |= dag->kind_runtimes[k];
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (!dag_is_node(dag, s))
			dag->worker_runtimes[dag->strand[s].worker] |=
				dag_runtimes(dag, s) |
				(dag->how[s] & STRAND_COLLAPSED ? collapsed : 0);
}

int runtime_find(struct state *state)
{
	struct dag *dag = state->dag;
	int error;

	dag->kind_runtimes = calloc(dag->n_kinds + 1ull, sizeof(*dag->kind_runtimes));
	dag->worker_runtimes = calloc(state->n_lanes + 1ull, sizeof(*dag->worker_runtimes));
	if (!dag->kind_runtimes || !dag->worker_runtimes)
		return state_no_memory(state);
	for (kind_id k = 0; k < dag->n_kinds; k++)
		dag->kind_runtimes[k] = runtime_of(state, k);
	error = find_roots(state);
	if (!error)
		find_workers(dag);
	return error;
}
