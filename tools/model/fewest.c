/* SPDX-License-Identifier: MIT */
/* fewest.c - sets by size: first by their span, then by simulation. */
#include "tools/model/fewest.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/at_most.h"
#include "tools/base/xalloc.h"

#define LEAST_PART 1000u /* of the goal, a kind's work */
#define CALL_BELOW 10u	 /* tasks that work for less than so many times their cost */
#define CALLS_MOST 5u

struct candidate {
	kind_id kind;
	uint64_t work_ns, way_ns, n_tasks;
	bool is_whole; /* none of its tasks stands for others */
};

/* The span if strands whose kind has `taken[kind]` as given took no time; `level` has room for all
 * steps. */
static uint64_t candidates_span(const struct graph *graph, const uint8_t *taken, bool as_given,
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

ORDER(by_way, struct candidate, BY_MOST(way_ns) ?: BY_LEAST(kind))

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
	SORT(candidate, n_kinds, by_way);
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

/* Fills the actions.  `model` is measured. */
static void candidates_find(struct fewest *fewest, const struct model *model,
			    const struct changes *changes)
{
	uint32_t n_kinds = model->graph.dag->n_kinds;
	struct candidate *candidate = xcalloc(n_kinds + 1ull, sizeof(*candidate));
	uint64_t *level = xmalloc((model->graph.n_steps + 1ull) * sizeof(*level));
	uint8_t *taken = xcalloc(n_kinds + 1ull, 1);

	for (kind_id k = 0; k < n_kinds; k++)
		candidate[k] = (struct candidate){ .kind = k, .is_whole = true };
	sum_up_ways(candidate, &model->graph);
	measure(candidate, fewest, &model->graph, taken, level);
	choose(fewest, candidate, model, task_cost(model, changes));
	free(candidate);
	free(level);
	free(taken);
}

#define STRANDS_MOST UINT64_C(100000000)     /* that are simulated, in all */
#define SPAN_STEPS_MOST UINT64_C(2000000000) /* that are passed for spans: about ten seconds */
#define SPLIT_MOST 9999u
#define ENDLESS 1e12 /* so many times as fast: it takes no time */

struct trying {
	struct fewest *fewest;
	struct forecast *forecast;
	const struct changes *changes;
	const struct policy *policy;
	const struct points_wanted *wanted;
	struct model model;
	uint64_t *level;
	uint8_t *taken;
	uint32_t *failed; /* n_failed: sets whose span is too long */
	uint32_t n_failed;
	uint64_t failed_room;
	uint64_t steps_left, strands_left;
	struct fewest_set fastest;
};

/* ---- sets ---- */

static bool has(uint32_t set, uint32_t action)
{
	return set >> action & 1;
}

/* Not the same kind both split and called. */
static bool is_sound(const struct fewest *fewest, uint32_t set)
{
	for (uint32_t i = 0; i < fewest->n_actions; i++)
		for (uint32_t j = 0; j < i; j++)
			if (has(set, i) && has(set, j) &&
			    fewest->action[i].kind == fewest->action[j].kind)
				return false;
	return true;
}

/* What is done already, and the set; `changes->kind` is to be freed by free(). */
static void make_changes(const struct trying *trying, uint32_t set, uint32_t parts,
			 struct changes *changes)
{
	uint32_t n = trying->forecast->dag->n_kinds;

	*changes = *trying->changes;
	changes->kind = xcalloc(n + 1ull, sizeof(*changes->kind));
	if (trying->changes->kind)
		memcpy(changes->kind, trying->changes->kind, n * sizeof(*changes->kind));
	for (uint32_t i = 0; i < trying->fewest->n_actions; i++) {
		const struct fewest_action *action = &trying->fewest->action[i];
		struct kind_change *kind = &changes->kind[action->kind];

		if (!has(set, i))
			continue;
		if (action->call)
			kind->call_below_ns = UINT64_MAX;
		else
			kind->split = parts;
	}
}

static bool any_split(const struct trying *trying, uint32_t set)
{
	for (uint32_t i = 0; i < trying->fewest->n_actions; i++)
		if (has(set, i) && !trying->fewest->action[i].call)
			return true;
	return false;
}

/* ---- by span ---- */

static bool is_known_to_fail(const struct trying *trying, uint32_t set)
{
	for (uint32_t i = 0; i < trying->n_failed; i++)
		if ((set & ~trying->failed[i]) == 0)
			return true;
	return false;
}

/* Whether no number of parts can suffice. */
static bool fails_by_span(struct trying *trying, uint32_t set)
{
	const struct fewest *fewest = trying->fewest;
	const struct graph *graph = &trying->model.graph;

	if (is_known_to_fail(trying, set))
		return true;
	if (trying->steps_left < graph->n_steps)
		return false;
	trying->steps_left -= graph->n_steps;
	memset(trying->taken, 0, graph->dag->n_kinds);
	for (uint32_t i = 0; i < fewest->n_actions; i++)
		trying->taken[fewest->action[i].kind] |= has(set, i);
	if (candidates_span(graph, trying->taken, true, trying->level) <= fewest->goal_ns)
		return false;
	ARRAY_ADD(trying->failed, trying->n_failed, trying->failed_room, set);
	return true;
}

/* All actions but one or two: what fails so excludes most of the smaller sets at once. */
static void exclude_from_above(struct trying *trying)
{
	uint32_t n = trying->fewest->n_actions, all = (1u << n) - 1;

	for (uint32_t i = 0; i < n; i++)
		fails_by_span(trying, all & ~(1u << i));
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < i; j++)
			fails_by_span(trying, all & ~(1u << i) & ~(1u << j));
}

/* ---- by simulation ---- */

/* Simulates the changes, and frees them. */
static int try_changes(struct trying *trying, const char *what, struct changes *changes,
		       struct point *point, struct err *err)
{
	int error =
		forecast_add(trying->forecast, what, changes, trying->policy, trying->wanted, err);

	if (!error)
		*point = trying->forecast->row[trying->forecast->n_rows - 1].point[0];
	free(changes->kind);
	return error;
}

static int simulate_set(struct trying *trying, uint32_t set, uint32_t parts, struct point *point,
			struct err *err)
{
	struct changes changes;

	make_changes(trying, set, parts, &changes);
	return try_changes(trying, "a set", &changes, point, err);
}

static void keep(struct fewest *fewest, const struct fewest_set *set)
{
	ARRAY_ADD(fewest->set, fewest->n_sets, fewest->room, *set);
}

static bool is_faster(const struct fewest_set *a, const struct fewest_set *b)
{
	return !b->parts || a->point.outcome.elapsed_ns < b->point.outcome.elapsed_ns;
}

/* With the number of parts that serves it best. */
static int try_set(struct trying *trying, uint32_t actions, struct fewest_size *size,
		   struct err *err)
{
	struct fewest *fewest = trying->fewest;
	struct fewest_set best = { 0 };
	uint32_t n_parts = any_split(trying, actions) ? FEWEST_PARTS : 1;
	uint64_t strands = (uint64_t)trying->model.graph.n_steps * trying->wanted->n_runs * n_parts;
	int error = 0;

	if (trying->strands_left < strands)
		return 0;
	trying->strands_left -= strands;
	for (uint32_t i = 0; i < n_parts && !error; i++) {
		struct fewest_set set = { .actions = actions, .parts = fewest->parts[i] };

		error = simulate_set(trying, actions, set.parts, &set.point, err);
		if (!error && is_faster(&set, &best))
			best = set;
	}
	if (error)
		return error;
	size->n_tried++;
	if (is_faster(&best, &trying->fastest))
		trying->fastest = best;
	if (best.point.outcome.elapsed_ns > fewest->goal_ns)
		return 0;
	size->n_suffice++;
	keep(fewest, &best);
	return 0;
}

static int try_size(struct trying *trying, uint32_t n, struct err *err)
{
	struct fewest *fewest = trying->fewest;
	struct fewest_size *size = &fewest->size[n];
	uint32_t end = 1u << fewest->n_actions;

	fewest->n_sizes = n + 1;
	for (uint32_t set = 0; set < end; set++) {
		if ((uint32_t)__builtin_popcount(set) != n || !is_sound(fewest, set))
			continue;
		size->n++;
		if (fails_by_span(trying, set))
			size->n_by_span++;
		else if (try_set(trying, set, size, err) < 0)
			return err->code;
	}
	return 0;
}

/* ---- the ceiling ---- */

/* All calls; and what is split takes no time, nor does what tasks do that call others. */
static int simulate_ceiling(struct trying *trying, struct point *point, struct err *err)
{
	const struct fewest *fewest = trying->fewest;
	uint32_t all = (1u << fewest->n_actions) - 1, n_calls = 0;
	struct changes changes;

	make_changes(trying, all, 1, &changes);
	for (uint32_t i = 0; i < fewest->n_actions; i++) {
		n_calls += fewest->action[i].call;
		changes.kind[fewest->action[i].kind].split = 0;
		changes.kind[fewest->action[i].kind].speed = ENDLESS;
	}
	for (kind_id k = 0; n_calls && k < trying->forecast->dag->n_kinds; k++)
		changes.kind[k].speed = ENDLESS;
	return try_changes(trying, "all", &changes, point, err);
}

static int find_ceiling(struct trying *trying, struct err *err)
{
	struct fewest *fewest = trying->fewest;
	uint64_t shared = (trying->model.graph.work_ns + fewest->n_workers - 1) / fewest->n_workers;
	struct point point = { 0 };
	int error = simulate_ceiling(trying, &point, err);

	if (!error)
		fewest->ceiling_ns =
			point.outcome.elapsed_ns > shared ? point.outcome.elapsed_ns : shared;
	return error;
}

ORDER(by_elapsed, struct fewest_set, BY_LEAST(point.outcome.elapsed_ns) ?: BY_LEAST(actions))

/* Where no set will do: all splits; all calls; all calls, and splits of the other kinds. */
static int try_all(struct trying *trying, struct err *err)
{
	const struct fewest *fewest = trying->fewest;
	struct fewest_size none = { 0 };
	uint32_t splits = 0, calls = 0, both;
	int error;

	for (uint32_t i = 0; i < fewest->n_actions; i++)
		*(fewest->action[i].call ? &calls : &splits) |= 1u << i;
	both = calls;
	for (uint32_t i = 0; i < fewest->n_actions; i++)
		if (is_sound(fewest, both | 1u << i))
			both |= 1u << i;
	error = try_set(trying, splits, &none, err);
	if (!error && calls)
		error = try_set(trying, calls, &none, err);
	if (!error && both != calls)
		error = try_set(trying, both, &none, err);
	return error;
}

static int search(struct trying *trying, struct err *err)
{
	struct fewest *fewest = trying->fewest;
	int error = find_ceiling(trying, err);

	if (!error && fewest->ceiling_ns > fewest->goal_ns)
		error = try_all(trying, err);
	else if (!error)
		exclude_from_above(trying);
	if (error)
		return error;
	for (uint32_t n = 0; fewest->ceiling_ns <= fewest->goal_ns && n <= fewest->n_actions; n++) {
		error = try_size(trying, n, err);
		if (error || fewest->n_sets)
			break;
	}
	fewest->is_found = fewest->n_sets > 0 && fewest->ceiling_ns <= fewest->goal_ns;
	if (!error && !fewest->n_sets && trying->fastest.parts)
		keep(fewest, &trying->fastest);
	SORT(fewest->set, fewest->n_sets, by_elapsed);
	return error;
}

static int prepare(struct trying *trying, struct err *err)
{
	struct fewest *fewest = trying->fewest;
	struct forecast *forecast = trying->forecast;
	int error = forecast_add(forecast, "as recorded", trying->changes, trying->policy,
				 trying->wanted, err);

	if (!error)
		model_build(&trying->model, forecast, trying->changes);
	if (error)
		return error;
	fewest->n_workers = trying->wanted->workers[0];
	fewest->goal_ns =
		(uint64_t)((double)trying->model.graph.work_ns / FEWEST_SHARE / fewest->n_workers);
	for (uint32_t i = 0, n = fewest->n_workers; i < FEWEST_PARTS; i++, n *= 4)
		fewest->parts[i] = (uint32_t)at_most(SPLIT_MOST, n > 1 ? n : 2);
	trying->level = xmalloc((trying->model.graph.n_steps + 1ull) * sizeof(*trying->level));
	trying->taken = xcalloc(forecast->dag->n_kinds + 1ull, 1);
	candidates_find(fewest, &trying->model, trying->changes);
	return 0;
}

int fewest_find(struct fewest *fewest, struct forecast *forecast, const struct changes *changes,
		const struct policy *policy, const struct points_wanted *wanted, struct err *err)
{
	struct trying trying = { .fewest = fewest,
				 .forecast = forecast,
				 .changes = changes,
				 .policy = policy,
				 .wanted = wanted,
				 .steps_left = SPAN_STEPS_MOST,
				 .strands_left = STRANDS_MOST };
	int error;

	*fewest = (struct fewest){ 0 };
	error = prepare(&trying, err) ?: search(&trying, err);
	model_free(&trying.model);
	free(trying.level);
	free(trying.taken);
	free(trying.failed);
	return error;
}

void fewest_free(struct fewest *fewest)
{
	free(fewest->set);
	*fewest = (struct fewest){ 0 };
}
