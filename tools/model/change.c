/* SPDX-License-Identifier: MIT */
/* change.c - the names of costs; makes a graph one of a program that was changed. */
#include "tools/model/change.h"

#include <stdlib.h>

#include "tools/base/order.h"
#include "tools/base/xalloc.h"
#include "tools/model/graph.h"
#include "tools/model/leads.h"

const char *const cost_name[COST_OF] = { "create", "begin", "steal",   "wait",
					 "lock",   "fork",  "outside", "inside" };

void changes_free(struct changes *changes)
{
	free(changes->kind);
	free(changes->unlocked);
	for (int of = 0; of < COST_OF; of++)
		free(changes->site_cost[of]);
	*changes = (struct changes){ 0 };
}

/* What the step before says of a creation is what the task costs its parent. */
static void make_free(struct graph *graph, strand_id s)
{
	struct step *step = &graph->step[s];
	strand_id creator = graph->dag->strand[s].pred, next;

	step->lead = 0;
	step->flags |= STEP_FIXED;
	if (creator == STRAND_NONE || graph->step[creator].end != STEP_CREATES)
		return;
	next = graph->step[creator].next;
	if (next != STRAND_NONE) {
		graph->step[next].lead = 0;
		graph->step[next].flags |= STEP_FIXED;
	}
}

/* ---- calls instead of tasks ---- */

struct calling {
	struct graph *graph;
	const struct kind_change *kind;
	uint64_t *total_ns; /* by task: with all below it */
	uint8_t *stays;	    /* by task: it is none that can be called */
};

static bool is_plain(const struct graph *graph, strand_id s)
{
	const struct step *step = &graph->step[s];

	switch (step->end) {
	case STEP_LOCKS:
	case STEP_UNLOCKS:
	case STEP_FORKS:
		return false;
	case STEP_WAITS:
		if (step->wait >= WIRE_WAIT_OBJECT)
			return false;
		break;
	case STEP_GOES_ON:
		if ((graph->dag->how[s] & STRAND_ENDED_BY) == WIRE_SIGNAL)
			return false;
		break;
	default:
		break;
	}
	return !(step->flags & (STEP_PARTS | STEP_MEMBER));
}

static void sum_up(const struct calling *calling)
{
	const struct graph *graph = calling->graph;

	for (strand_id s = 0; s < graph->n_steps; s++) {
		task_id task = graph->step[s].task;

		if (task == TASK_NONE)
			continue;
		calling->total_ns[task] += graph->step[s].length;
		calling->stays[task] |= !is_plain(graph, s);
	}
}

/* Downward, so that what is below a task is known before it. */
static void choose(const struct calling *calling)
{
	const struct graph *graph = calling->graph;

	for (strand_id s = graph->n_steps; s-- > 0;) {
		task_id task = graph->step[s].task, parent;
		strand_id creator = graph->dag->strand[s].pred;

		if (task == TASK_NONE || !(graph->step[s].flags & STEP_FIRST))
			continue;
		parent = graph->parent[task];
		if (parent == TASK_NONE || graph->n_into[s] != 1 ||
		    graph->step[creator].child != s ||
		    calling->total_ns[task] >=
			    calling->kind[graph->dag->task_kind[task]].call_below_ns)
			calling->stays[task] = 1;
		if (parent == TASK_NONE)
			continue;
		calling->total_ns[parent] += calling->total_ns[task];
		calling->stays[parent] |= calling->stays[task];
	}
}

static void make_calls(const struct calling *calling)
{
	struct graph *graph = calling->graph;

	for (strand_id s = 0; s < graph->n_steps; s++) {
		struct step *step = &graph->step[s];
		task_id task = step->task;
		strand_id creator = graph->dag->strand[s].pred;

		if (task == TASK_NONE || calling->stays[task])
			continue;
		step->length = step->lead = 0;
		step->flags |= STEP_FIXED;
		if (!(step->flags & STEP_FIRST))
			continue;
		graph->n_changed++;
		make_free(graph, s);
		graph->step[creator].flags |= STEP_UNDEFERRED;
		if (calling->stays[graph->parent[task]])
			graph->step[creator].length += calling->total_ns[task];
	}
}

static void call_tasks(struct graph *graph, const struct changes *changes)
{
	uint64_t n = graph->dag->n_tasks + 1ull;
	struct calling calling = { graph, changes->kind, xcalloc(n, sizeof(uint64_t)),
				   xcalloc(n, 1) };

	sum_up(&calling);
	choose(&calling);
	make_calls(&calling);
	free(calling.total_ns);
	free(calling.stays);
}

/* ---- leaves: in another order, and merged ---- */

struct leaf {
	task_id parent;
	uint32_t section; /* of the parent: so many waits before it */
	kind_id kind;
	strand_id step;
	uint64_t length;
};

struct leaves {
	struct leaf *leaf;
	uint64_t n, room;
};

static bool is_free_leaf(const struct graph *graph, strand_id s)
{
	const struct step *step = &graph->step[s];
	uint32_t n;
	const strand_id *out = graph_out(graph, step, &n);

	if (!(step->flags & STEP_FIRST) || step->flags & (STEP_PARTS | STEP_MEMBER) ||
	    step->next != STRAND_NONE || step->end != STEP_ENDS || graph->n_into[s] != 1 ||
	    graph->parent[step->task] == TASK_NONE)
		return false;
	for (uint32_t o = 0; o < n; o++)
		if (graph->step[out[o]].flags & STEP_FIRST) /* it depends on this one */
			return false;
	return true;
}

static bool is_reshaped(const struct kind_change *kind)
{
	return kind->longest_first || kind->merge > 1;
}

static void gather(struct leaves *leaves, const struct graph *graph, const struct changes *changes,
		   uint32_t *section)
{
	for (strand_id s = 0; s < graph->n_steps; s++) {
		strand_id pred = graph->dag->strand[s].pred;
		task_id task = graph->step[s].task;

		section[s] = 0;
		if (task == TASK_NONE)
			continue;
		if (pred != STRAND_NONE && !(graph->step[s].flags & STEP_FIRST))
			section[s] = section[pred] + (graph->step[pred].end == STEP_WAITS);
		if (!is_reshaped(&changes->kind[graph->dag->task_kind[task]]) ||
		    !is_free_leaf(graph, s))
			continue;
		ARRAY_ADD(leaves->leaf, leaves->n, leaves->room,
			  (struct leaf){ graph->parent[task], section[pred],
					 graph->dag->task_kind[task], s, graph->step[s].length });
	}
}

static int by_group(const struct leaf *a, const struct leaf *b)
{
	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static int by_creation(const void *a, const void *b, void *graph)
{
	const struct strand *strand = ((const struct graph *)graph)->dag->strand;
	const struct leaf *x = a, *y = b;
	int group = by_group(x, y);
	strand_id i = strand[x->step].pred, j = strand[y->step].pred;

	return group ? group : i < j ? -1 : i > j;
}

ORDER(by_length, struct leaf, BY_MOST(length) ?: BY_LEAST(step))

/* The leaves of a group, which are in the order of their creation, take over each other's work. */
static void long_ones_first(struct graph *graph, struct leaf *leaf, uint64_t n)
{
	strand_id *slot = xmalloc(n * sizeof(*slot));

	for (uint64_t i = 0; i < n; i++)
		slot[i] = leaf[i].step;
	SORT(leaf, n, by_length);
	for (uint64_t i = 0; i < n; i++) {
		graph->n_changed += graph->step[slot[i]].length != leaf[i].length;
		graph->step[slot[i]].length = leaf[i].length;
		leaf[i].step = slot[i];
	}
	free(slot);
}

/* Every so many-th leaf of a group does the work of those after it. */
static void merge(struct graph *graph, const struct leaf *leaf, uint64_t n, uint32_t merged)
{
	for (uint64_t i = 0; i < n; i++) {
		struct step *step = &graph->step[leaf[i].step];

		if (i % merged == 0)
			continue;
		graph->step[leaf[i - i % merged].step].length += step->length;
		step->length = 0;
		graph->task_flags[step->task] |= GRAPH_MERGED;
		graph->n_changed++;
		make_free(graph, leaf[i].step);
	}
}

static void reshape_groups(struct graph *graph, const struct changes *changes,
			   struct leaves *leaves)
{
	if (leaves->n)
		qsort_r(leaves->leaf, leaves->n, sizeof(*leaves->leaf), by_creation, graph);
	for (uint64_t from = 0, to; from < leaves->n; from = to) {
		struct leaf *leaf = &leaves->leaf[from];
		const struct kind_change *kind = &changes->kind[leaf->kind];

		to = from + 1;
		while (to < leaves->n && by_group(leaf, &leaves->leaf[to]) == 0)
			to++;
		if (kind->longest_first)
			long_ones_first(graph, leaf, to - from);
		if (kind->merge > 1)
			merge(graph, leaf, to - from, kind->merge);
	}
}

static void reshape_leaves(struct graph *graph, const struct changes *changes)
{
	uint32_t *section = xmalloc((graph->n_steps + 1ull) * sizeof(*section));
	struct leaves leaves = { 0 };

	gather(&leaves, graph, changes, section);

	reshape_groups(graph, changes, &leaves);
	free(leaves.leaf);
	free(section);
}

/* Before other changes; graph->n_changed counts what was changed. */
static void reshape(struct graph *graph, const struct changes *changes)
{
	bool calls = false, leaves = false;

	for (kind_id k = 0; changes->kind && k < graph->dag->n_kinds; k++) {
		calls |= changes->kind[k].call_below_ns > 0;
		leaves |= is_reshaped(&changes->kind[k]);
	}
	if (calls)
		call_tasks(graph, changes);
	if (leaves)
		reshape_leaves(graph, changes);
}

/* ---- of kinds ---- */

/* The runtime's time for one more task. */
static uint64_t task_cost(const struct leads *leads, const struct changes *changes)
{
	return cost_changed(&changes->cost[COST_CREATE], lead_mean(leads, LEAD_CREATE)) +
	       cost_changed(&changes->cost[COST_BEGIN], lead_mean(leads, LEAD_BEGIN));
}

/* Each part costs a creation and a begin, and works for no less than that.  What runs under a lock
 * stays whole: its parts would wait for each other. */
static void split(struct graph *graph, strand_id s, uint32_t n, uint64_t cost)
{
	const struct step *step = &graph->step[s];

	if (cost)
		n = (uint32_t)at_most(n, step->length / cost);
	n = (uint32_t)at_most(n, step->length);
	if (n < 2 || !graph_may_split(graph, s))
		return;
	graph->n_changed++;
	graph_part(graph, s, n, cost * (n - 1));
}

static void change_kind(struct graph *graph, const struct kind_change *kind, strand_id s,
			uint64_t cost)
{
	struct step *step = &graph->step[s];

	if (kind->speed > 0) {
		step->length = (uint64_t)((double)step->length / kind->speed + .5);
		graph->n_changed++;
	}
	if (kind->first)
		graph->task_flags[step->task] |= GRAPH_FIRST_CHOICE;
	split(graph, s, kind->split, cost);
}

/* ---- of sites ---- */

static void change_lead(struct step *step, const struct cost_change *change)
{
	if (!change->fixed && change->factor <= 0)
		return;
	step->lead = (uint32_t)at_most(UINT32_MAX, cost_changed(change, step->lead));
	step->flags |= STEP_FIXED;
}

/* Costs at the site that creates the task, and at the one that its task waits at. */
static void change_site(struct graph *graph, const struct changes *changes, strand_id s)
{
	const struct dag *dag = graph->dag;
	struct step *step = &graph->step[s];
	strand_id pred = dag->strand[s].pred;
	const struct dag_wait *wait = pred == STRAND_NONE ? NULL : dag_wait_of(dag, pred);
	site_id site = dag->kind_site[dag_kind(dag, s)];
	strand_id child;

	if (step->flags & STEP_FIRST) {
		static const enum cost of_first[] = { COST_BEGIN, COST_STEAL, COST_FORK };

		for (size_t i = 0; i < sizeof(of_first) / sizeof(of_first[0]); i++)
			if (changes->site_cost[of_first[i]] && site != SITE_NONE)
				change_lead(step, &changes->site_cost[of_first[i]][site]);
		return;
	}
	if (wait && changes->site_cost[COST_WAIT] && wait->what < WIRE_WAIT_OBJECT)
		change_lead(step, &changes->site_cost[COST_WAIT][wait->site]);
	if (wait && changes->site_cost[COST_LOCK] && wait->what >= WIRE_WAIT_OBJECT)
		change_lead(step, &changes->site_cost[COST_LOCK][wait->site]);
	child = pred == STRAND_NONE ? STRAND_NONE : graph->step[pred].child;
	if (child == STRAND_NONE || !changes->site_cost[COST_CREATE])
		return;
	site = dag->kind_site[dag_kind(dag, child)];
	if (site != SITE_NONE)
		change_lead(step, &changes->site_cost[COST_CREATE][site]);
}

static bool any_site(const struct changes *changes)
{
	for (int of = 0; of < COST_OF; of++)
		if (changes->site_cost[of])
			return true;
	return false;
}

void changes_apply(struct graph *graph, const struct leads *leads, const struct changes *changes)
{
	uint64_t cost = task_cost(leads, changes);
	bool sites = any_site(changes);

	reshape(graph, changes);

	for (strand_id s = 0; s < graph->n_steps && (changes->kind || sites); s++) {
		if (graph->step[s].flags & STEP_NODE)
			continue;
		if (changes->kind)
			change_kind(graph, &changes->kind[dag_kind(graph->dag, s)], s, cost);
		if (sites)
			change_site(graph, changes, s);
	}
}
