/* SPDX-License-Identifier: MIT */
/* runtimes.c - follows from sites, and from who created what. */
#include "tools/dag/runtimes.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"
#include "tools/trace/reader.h"

/* The runtime that tasks of a kind are of, as a bit; of roots none. */
static uint16_t runtime_of(const struct state *state, kind_id kind)
{
	const struct defs *defs = reader_defs(state->reader);
	site_id site = state->dag->kind_site[kind];
	uint32_t runtime = site < defs->n_sites ? defs->site[site].runtime : 0;

	return site == SITE_NONE ? 0 : (uint16_t)(1u << runtime % DAG_RUNTIMES);
}

/* The creator's task made this one.  `creator` may be STRAND_NONE. */
static void runtime_note(struct state *state, strand_id creator, task_id task)
{
	struct dag *dag = state->dag;
	uint64_t *bits;

	if (creator == STRAND_NONE || dag_kind(dag, creator) != KIND_OF_ROOTS)
		return;
	bits = map_put(&dag->root_runtimes, dag->strand[creator].task);
	*bits |= runtime_of(state, dag->task_kind[task]);
}

void runtime_note_unseen(struct state *state, strand_id creator, task_id task)
{
	uint64_t *kept;

	if (creator == STRAND_NONE)
		return;
	kept = map_put(&state->dag->creators, task);
	*kept = state->dag->strand[creator].task;
	runtime_note(state, creator, task);
}

/* Of tasks that never began. */
static void note_unbegun(struct state *state)
{
	const struct dag *dag = state->dag;

	if (dag->n_begun == dag->n_tasks)
		return;
	for (task_id t = 0; t < dag->n_tasks; t++)
		if (!(dag->task_state[t] & TASK_BEGUN))
			runtime_note_unseen(state, state->task_last[t], t);
}

/* Roots that workers ran: of what runtimes these are is not known before all that they create is.
 */
struct ran {
	struct map roots; /* worker << 32 | task */
	task_id *newest;  /* by worker; TASK_NONE */
};

static void note_ran(struct ran *ran, uint32_t worker, task_id task)
{
	if (ran->newest[worker] == task)
		return;
	ran->newest[worker] = task;
	map_put(&ran->roots, (uint64_t)worker << 32 | task);
}

/* A worker belongs to the runtimes of what it ran; which collapsed tasks it ran is unknown. */
static void note_strands(struct state *state, struct ran *ran)
{
	struct dag *dag = state->dag;
	uint16_t collapsed = 0; /* runtimes that have collapsed tasks */

	for (kind_id k = 0; k < dag->n_kinds; k++)
		if (dag->kind_collapsed[k])
			collapsed |= dag->kind_runtimes[k];
	for (strand_id s = 0; s < dag->n_strands; s++) {
		const struct strand *strand = &dag->strand[s];
		uint16_t *tasks = &dag->worker_tasks[strand->worker];

		if (dag_is_node(dag, s))
			continue;
		kind_id kind = dag_kind(dag, s);
		uint16_t *worker = &dag->worker_runtimes[strand->worker];

		*worker |= dag->kind_runtimes[kind]; /* of roots none */
		if (!(dag->task_state[strand->task] & TASK_TARGET))
			*tasks |= dag->kind_runtimes[kind];
		if (dag->how[s] & STRAND_COLLAPSED) {
			*worker |= collapsed;
			*tasks = UINT16_MAX;
		}
		if (dag->how[s] & STRAND_FIRST)
			runtime_note(state, strand->pred, strand->task);
		if (kind == KIND_OF_ROOTS)
			note_ran(ran, strand->worker, strand->task);
	}
}

static void find_workers(struct dag *dag, const struct map *roots)
{
	for (uint32_t i = 0; i < roots->n_slots; i++) {
		uint64_t key = roots->entry[i].key;

		if (roots->used[i])
			dag->worker_runtimes[key >> 32] |= dag_root_runtimes(dag, (task_id)key);
	}
}

static void find_all(struct state *state)
{
	struct ran ran = { .newest = xmalloc((state->n_lanes + 1ull) * sizeof(*ran.newest)) };

	for (uint32_t w = 0; w < state->n_lanes; w++)
		ran.newest[w] = TASK_NONE;
	note_strands(state, &ran);
	note_unbegun(state);
	find_workers(state->dag, &ran.roots);
	free(ran.newest);
	map_free(&ran.roots);
}

void runtime_find(struct state *state)
{
	struct dag *dag = state->dag;

	dag->kind_runtimes = xcalloc(dag->n_kinds + 1ull, sizeof(*dag->kind_runtimes));
	dag->worker_runtimes = xcalloc(state->n_lanes + 1ull, sizeof(*dag->worker_runtimes));
	dag->worker_tasks = xcalloc(state->n_lanes + 1ull, sizeof(*dag->worker_tasks));
	dag->beside = xcalloc(state->n_lanes + 1ull, sizeof(*dag->beside));
	for (kind_id k = 0; k < dag->n_kinds; k++)
		dag->kind_runtimes[k] = runtime_of(state, k);
	find_all(state);
	for (uint32_t w = 0; w < state->n_lanes; w++)
		dag->beside[w] = state->lane[w].no_worker &&
				 !(state->lane[w].until_tasks && dag->worker_tasks[w]);
}
