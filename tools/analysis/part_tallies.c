/* SPDX-License-Identifier: MIT */
/* part_tallies.c - shares out collapsed tasks between a part of the run and the rest. */
#include "tools/analysis/part_tallies.h"

#include <stdlib.h>
#include <string.h>

#include "tools/analysis/apportion.h"
#include "tools/analysis/cycles.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"

/* Of strands that stand for others: tasks below them, and of those the ones in the part. */
struct below {
	double all, within;
};

struct sharing {
	const struct dag *dag;
	struct below *of;   /* by kind of the strand's own task */
	struct below every; /* of all kinds */
	uint64_t *edge;	    /* from a kind to one that its tasks were seen to create */
	uint64_t n_edges;
	kind_id *reached; /* kinds that create the one at hand, directly or not, and itself */
	uint32_t n_reached;
	bool *met;
};

/* How much of the strand is in the part, from 0 to 1. */
static double strand_within(const struct dag *dag, strand_id s, const struct select *select)
{
	uint64_t start = dag_start(dag, s), length = dag_length(dag, s);

	if (length == 0)
		return select_has(select, start, start);
	return (double)select_within(select, start, start + length) / (double)length;
}

static void count_below(struct sharing *sharing, const struct select *select)
{
	const struct dag *dag = sharing->dag;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		const struct collapsed *collapsed = dag_collapsed(dag, s);
		struct below *below;
		double n, within;

		if (!collapsed || collapsed->n_tasks == 0)
			continue;
		n = (double)collapsed->n_tasks;
		within = n * strand_within(dag, s, select);
		below = &sharing->of[dag_kind(dag, s)];
		below->all += n;
		below->within += within;
		sharing->every.all += n;
		sharing->every.within += within;
	}
}

double part_of_collapsed(const struct dag *dag, const struct select *select)
{
	struct sharing sharing = { .dag = dag };
	double share = 1;

	if (!select || !select->part || !dag->n_collapsed_tasks)
		return 1;
	sharing.of = xcalloc(dag->n_kinds + 1ull, sizeof(*sharing.of));
	count_below(&sharing, select);
	if (sharing.every.all > 0)
		share = sharing.every.within / sharing.every.all;
	free(sharing.of);
	return share;
}

uint64_t part_events(const struct dag *dag, const struct select *select)
{
	double collapsed = (double)(dag_events(dag) - dag->n_events);
	double all = 0, within = 0;

	if (!select || !select->part)
		return dag_events(dag);
	for (strand_id s = 0; s < dag->n_strands; s++) {
		if (dag_is_node(dag, s))
			continue;
		all++;
		within += strand_within(dag, s, select);
	}
	collapsed *= part_of_collapsed(dag, select);
	return (uint64_t)(collapsed + (all > 0 ? (double)dag->n_events * within / all : 0));
}

/* ---- who creates whom ---- */

static void add_edge(struct map *edges, const struct dag *dag, task_id creator, task_id task)
{
	map_put(edges, cycles_edge(dag->task_kind[creator], dag->task_kind[task]));
}

static void find_edges(struct sharing *sharing)
{
	const struct dag *dag = sharing->dag;
	struct map edges = { 0 };

	for (strand_id s = 0; s < dag->n_strands; s++) {
		const struct strand *strand = &dag->strand[s];

		if (dag->how[s] & STRAND_FIRST && strand->pred != STRAND_NONE &&
		    !dag_is_node(dag, strand->pred))
			add_edge(&edges, dag, dag->strand[strand->pred].task, strand->task);
	}
	for (uint32_t i = 0; i < dag->creators.n_slots; i++)
		if (dag->creators.used[i])
			add_edge(&edges, dag, (task_id)dag->creators.entry[i].value,
				 (task_id)dag->creators.entry[i].key);
	sharing->edge = xmalloc((edges.n + 1ull) * sizeof(*sharing->edge));
	for (uint32_t i = 0; i < edges.n_slots; i++)
		if (edges.used[i])
			sharing->edge[sharing->n_edges++] = edges.entry[i].key;
	map_free(&edges);
}

static void reach(struct sharing *sharing, kind_id kind)
{
	if (!sharing->met[kind])
		sharing->reached[sharing->n_reached++] = kind;
	sharing->met[kind] = true;
}

/* The strands that tasks of the kind may be below. */
static struct below below_which(struct sharing *sharing, kind_id kind)
{
	const struct dag *dag = sharing->dag;
	struct below sum = { 0 };

	memset(sharing->met, 0, dag->n_kinds * sizeof(*sharing->met));
	sharing->n_reached = 0;
	reach(sharing, kind);
	for (uint32_t i = 0; i < sharing->n_reached; i++)
		for (uint64_t e = 0; e < sharing->n_edges; e++)
			if ((kind_id)sharing->edge[e] == sharing->reached[i])
				reach(sharing, (kind_id)(sharing->edge[e] >> 32));
	for (uint32_t i = 0; i < sharing->n_reached; i++) {
		sum.all += sharing->of[sharing->reached[i]].all;
		sum.within += sharing->of[sharing->reached[i]].within;
	}
	return sum.all > 0 ? sum : sharing->every;
}

/* ---- shares ---- */

static uint64_t scaled(uint64_t n, double share)
{
	return (uint64_t)((double)n * share + .5);
}

/* Its histogram has as many tasks as it has. */
static void scale(struct kind_collapsed *collapsed, uint64_t n_tasks, double share)
{
	uint64_t whole[WIRE_BUCKETS], n = 0;

	collapsed->n_tasks = n_tasks;
	collapsed->work_ns = scaled(collapsed->work_ns, share);
	collapsed->ready_ns = scaled(collapsed->ready_ns, share);
	memcpy(whole, collapsed->n_by_work, sizeof(whole));
	for (uint32_t i = 0; i < WIRE_BUCKETS; i++)
		n += whole[i];
	if (n)
		apportion(n_tasks, whole, WIRE_BUCKETS, collapsed->n_by_work);
}

#define WEIGHT 0x1p40 /* shares as integers */

/* Weighs the kinds by their tasks in the part, and gives each of them its number. */
static void share_out(struct sharing *sharing, double *share, uint64_t *weight, uint64_t *n)
{
	const struct dag *dag = sharing->dag;
	double sum = 0;

	for (kind_id k = 0; k < dag->n_kinds; k++) {
		struct below below;

		if (!dag->kind_collapsed[k] || !dag->kind_collapsed[k]->n_tasks)
			continue;
		below = below_which(sharing, k);
		share[k] = below.all > 0 ? below.within / below.all : 0;
		sum += share[k] * (double)dag->kind_collapsed[k]->n_tasks;
	}
	for (kind_id k = 0; k < dag->n_kinds && sum > 0; k++)
		if (dag->kind_collapsed[k])
			weight[k] = (uint64_t)(share[k] * (double)dag->kind_collapsed[k]->n_tasks *
					       (WEIGHT / sum));
	apportion((uint64_t)(sharing->every.within + .5), weight, dag->n_kinds, n);
}

static void settle(struct dag *dag, const double *share, const uint64_t *n, uint64_t *n_guessed)
{
	uint32_t n_there = 0;

	*n_guessed = 0;
	for (kind_id k = 0; k < dag->n_kinds; k++) {
		if (!dag->kind_collapsed[k])
			continue;
		n_there += share[k] > 0;
		if (share[k] > 0 && share[k] < 1)
			*n_guessed += n[k];
		scale(dag->kind_collapsed[k], n[k], share[k]);
	}
	if (n_there == 1)
		*n_guessed = 0;
}

void part_tallies(struct dag *dag, const struct select *select, uint64_t *n_guessed)
{
	uint64_t n_kinds = dag->n_kinds + 1ull;
	struct sharing sharing = { .dag = dag };
	double *share = xcalloc(n_kinds, sizeof(*share));
	uint64_t *weight = xcalloc(n_kinds, sizeof(*weight)), *n = xcalloc(n_kinds, sizeof(*n));

	sharing.of = xcalloc(n_kinds, sizeof(*sharing.of));
	sharing.reached = xmalloc(n_kinds * sizeof(*sharing.reached));
	sharing.met = xmalloc(n_kinds * sizeof(*sharing.met));
	find_edges(&sharing);
	count_below(&sharing, select);
	share_out(&sharing, share, weight, n);
	settle(dag, share, n, n_guessed);
	free(share);
	free(weight);
	free(n);
	free(sharing.of);
	free(sharing.edge);
	free(sharing.reached);
	free(sharing.met);
}
