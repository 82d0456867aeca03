/* SPDX-License-Identifier: MIT */
/* candidates.c - each kind's own work, tasks, and longest way. */
#include "tools/model/candidates.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/base/at_most.h"

#define LEAST_PART 1000u /* of the goal, a kind's work */
#define CALL_BELOW 10u	 /* tasks that work for less than so many times their cost */
#define CALLS_MOST 5u

struct candidate {
	kind_id kind;
	uint64_t work_ns, way_ns, n_tasks;
	bool is_whole; /* none of its tasks stands for others */
};

uint64_t candidates_span(const struct graph *graph, const uint8_t *taken, bool as_given,
			 uint64_t *level)
{
	uint64_t span = 0;

	for (strand_id s = graph->n_steps; s-- > 0;) {
		const struct step *step = &graph->step[s];
		uint64_t longest = graph_way_after(graph, step, level);

		if (!(step->flags & STEP_NODE) && taken[dag_kind(graph->dag, s)] != as_given)
			longest += graph_longest_part(graph, s);
		level[s] = longest;
		span = at_least(span, longest);
	}
	return span;
}

static void sum_up_ways(struct candidate *candidate, const struct graph *graph)
{
	for (strand_id s = 0; s < graph->n_steps; s++) {
		const struct step *step = &graph->step[s];
		struct candidate *of;

		if (step->flags & STEP_NODE)
			continue;
		of = &candidate[dag_kind(graph->dag, s)];
		of->work_ns += step->length;
		of->n_tasks += step->flags & STEP_FIRST ? 1 : 0;
		of->is_whole &= !(step->flags & STEP_PARTS);
	}
}

static int by_way(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->way_ns != y->way_ns)
		return x->way_ns > y->way_ns ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* Their ways; a kind with little work has none longer than that. */
static void measure(struct candidate *candidate, const struct fewest *fewest,
		    const struct graph *graph, uint8_t *taken, uint64_t *level)
{
	uint32_t n_kinds = graph->dag->n_kinds;

	for (kind_id k = 0; k < n_kinds; k++) {
		candidate[k].way_ns = candidate[k].work_ns;
		if (candidate[k].work_ns <= fewest->goal_ns / LEAST_PART)
			continue;
		taken[k] = 1;
		candidate[k].way_ns = candidates_span(graph, taken, false, level);
		taken[k] = 0;
	}
	qsort(candidate, n_kinds, sizeof(*candidate), by_way);
}

/* What a task costs at least, under the changes. */
static uint64_t task_cost(const struct model *model, const struct changes *changes)
{
	return cost_changed(&changes->cost[COST_CREATE], lead_mean(&model->leads, LEAD_CREATE)) +
	       cost_changed(&changes->cost[COST_BEGIN], lead_mean(&model->leads, LEAD_BEGIN));
}

static void choose(struct fewest *fewest, const struct candidate *candidate,
		   const struct model *model, uint64_t cost)
{
	const struct dag *dag = model->graph.dag;
	uint32_t n_calls = 0;

	for (kind_id i = 0; i < dag->n_kinds && n_calls < CALLS_MOST; i++) {
		const struct candidate *of = &candidate[i];

		if ((dag->kind_what[of->kind] != KIND_TASK &&
		     dag->kind_what[of->kind] != KIND_LOOP) ||
		    !of->n_tasks || !of->is_whole ||
		    of->work_ns / of->n_tasks >= CALL_BELOW * cost ||
		    of->n_tasks * cost <= fewest->goal_ns / LEAST_PART)
			continue;
		fewest->action[fewest->n_actions++] =
			(struct fewest_action){ of->kind, true, of->way_ns };
		n_calls++;
	}
	for (kind_id i = 0; i < dag->n_kinds; i++) {
		const struct candidate *of = &candidate[i];

		if (!of->work_ns)
			continue;
		if (fewest->n_actions < FEWEST_ACTIONS &&
		    of->work_ns > fewest->goal_ns / LEAST_PART) {
			fewest->action[fewest->n_actions++] =
				(struct fewest_action){ of->kind, false, of->way_ns };
			continue;
		}
		fewest->n_left_out++;
		fewest->left_out_ns += of->way_ns;
	}
}

int candidates_find(struct fewest *fewest, const struct model *model, const struct changes *changes)
{
	uint32_t n_kinds = model->graph.dag->n_kinds;
	struct candidate *candidate = calloc(n_kinds + 1ull, sizeof(*candidate));
	uint64_t *level = malloc((model->graph.n_steps + 1ull) * sizeof(*level));
	uint8_t *taken = calloc(n_kinds + 1ull, 1);
	int error = candidate && level && taken ? 0 : -ENOMEM;

	if (!error) {
		for (kind_id k = 0; k < n_kinds; k++)
			candidate[k] = (struct candidate){ .kind = k, .is_whole = true };
		sum_up_ways(candidate, &model->graph);
		measure(candidate, fewest, &model->graph, taken, level);
		choose(fewest, candidate, model, task_cost(model, changes));
	}
	free(candidate);
	free(level);
	free(taken);
	return error;
}
