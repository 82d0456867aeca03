/* SPDX-License-Identifier: MIT */
/* apply.c - makes a graph one of a program that was changed. */
#include "tools/model/apply.h"

#include <errno.h>

#include "tools/model/reshape.h"

/* ---- of kinds ---- */

/* The runtime's time for one more task. */
static uint64_t task_cost(const struct leads *leads, const struct changes *changes)
{
	return cost_changed(&changes->cost[COST_CREATE], lead_mean(leads, LEAD_CREATE)) +
	       cost_changed(&changes->cost[COST_BEGIN], lead_mean(leads, LEAD_BEGIN));
}

/* Each part costs a creation and a begin, and works for no less than that.  What runs under a lock
 * stays whole: its parts would wait for each other. */
static int split(struct graph *graph, strand_id s, uint32_t n, uint64_t cost)
{
	const struct step *step = &graph->step[s];

	if (cost)
		n = (uint32_t)at_most(n, step->length / cost);
	n = (uint32_t)at_most(n, step->length);
	if (n < 2 || !graph_may_split(graph, s))
		return 0;
	graph->n_changed++;
	return graph_part(graph, s, n, cost * (n - 1));
}

static int change_kind(struct graph *graph, const struct kind_change *kind, strand_id s,
		       uint64_t cost)
{
	struct step *step = &graph->step[s];

	if (kind->speed > 0) {
		step->length = (uint64_t)((double)step->length / kind->speed + .5);
		graph->n_changed++;
	}
	if (kind->first)
		graph->task_flags[step->task] |= GRAPH_FIRST_CHOICE;
	return split(graph, s, kind->split, cost);
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

int changes_apply(struct graph *graph, const struct leads *leads, const struct changes *changes)
{
	uint64_t cost = task_cost(leads, changes);
	bool sites = any_site(changes);
	int error = reshape(graph, changes);

	for (strand_id s = 0; s < graph->n_steps && !error && (changes->kind || sites); s++) {
		if (graph->step[s].flags & STEP_NODE)
			continue;
		if (changes->kind)
			error = change_kind(graph, &changes->kind[dag_kind(graph->dag, s)], s,
					    cost);
		if (sites)
			change_site(graph, changes, s);
	}
	return error;
}
