/* SPDX-License-Identifier: MIT */
/* fits.c - sorts strands into groups, and fits each. */
#include "tools/model/fits.h"

#include <stdlib.h>

#include "tools/base/order.h"
#include "tools/base/random.h"
#include "tools/base/xalloc.h"

const char *const fit_begin_name[FIT_BEGINS] = { "begins", "after a creation", "goes on" };
const char *const fit_end_name[FIT_ENDS] = {
	[STEP_ENDS] = "ends",	  [STEP_CREATES] = "creates", [STEP_FORKS] = "forks",
	[STEP_WAITS] = "waits",	  [STEP_LOCKS] = "locks",     [STEP_UNLOCKS] = "unlocks",
	[STEP_GOES_ON] = "calls",
};

/* ---- groups ---- */

static uint32_t number_of(const struct graph *graph, strand_id s)
{
	const struct step *step = &graph->step[s];
	enum fit_begin begin = step->flags & STEP_FIRST	      ? FIT_FIRST
			       : step->flags & STEP_CONTINUES ? FIT_CONTINUES
							      : FIT_JOINS;

	return (graph->dag->task_kind[step->task] * FIT_BEGINS + begin) * FIT_ENDS + step->end;
}

static bool is_fitted(const struct graph *graph, strand_id s)
{
	return !(graph->step[s].flags & (STEP_NODE | STEP_PARTS)) &&
	       !(graph->dag->how[s] & STRAND_COLLAPSED);
}

uint32_t fits_group(const struct fits *fits, strand_id s)
{
	return is_fitted(fits->graph, s) ? fits->of[number_of(fits->graph, s)] - 1 : UINT32_MAX;
}

struct sorting {
	struct fits *fits;
	uint32_t *n;	/* by number: strands */
	uint64_t *at;	/* by group: where its times begin */
	uint64_t *time; /* of all groups */
	uint8_t *seen;	/* by group and worker */
};

static void find_groups(struct sorting *sorting)
{
	struct fits *fits = sorting->fits;
	const struct graph *graph = fits->graph;
	uint32_t n_numbers = graph->dag->n_kinds * FIT_BEGINS * FIT_ENDS;
	uint64_t n = 0;

	for (strand_id s = 0; s < graph->n_steps; s++)
		if (is_fitted(graph, s))
			sorting->n[number_of(graph, s)]++;
	for (uint32_t i = 0; i < n_numbers; i++)
		fits->of[i] = sorting->n[i] >= FIT_LEAST ? ++fits->n : 0;
	fits->group = xcalloc(fits->n + 1ull, sizeof(*fits->group));
	sorting->at = xcalloc(fits->n + 1ull, sizeof(*sorting->at));
	sorting->seen = xcalloc((fits->n + 1ull) * (graph->dag->n_slots + 1ull), 1);
	for (uint32_t i = 0; i < n_numbers; i++) {
		if (!fits->of[i])
			continue;
		struct fit_group *group = &fits->group[fits->of[i] - 1];

		group->kind = i / (FIT_BEGINS * FIT_ENDS);
		group->begin = (uint8_t)(i / FIT_ENDS % FIT_BEGINS);
		group->end = (uint8_t)(i % FIT_ENDS);
		group->first_ns = xcalloc(graph->dag->n_slots + 1ull, sizeof(uint64_t));
		group->bin = xcalloc(FIT_BINS, sizeof(*group->bin));
		sorting->at[fits->of[i] - 1] = n;
		n += sorting->n[i];
	}
	sorting->time = xmalloc((n + 1) * sizeof(*sorting->time));
}

static void gather(struct sorting *sorting)
{
	const struct graph *graph = sorting->fits->graph;

	for (strand_id s = 0; s < graph->n_steps; s++) {
		uint32_t g = fits_group(sorting->fits, s);
		struct fit_group *group = &sorting->fits->group[g];
		uint64_t ns = g == UINT32_MAX ? 0 : dag_work(graph->dag, s);
		uint8_t *seen;

		if (g == UINT32_MAX)
			continue;
		seen = &sorting->seen[(uint64_t)g * graph->dag->n_slots +
				      graph->dag->strand[s].worker];
		if (!*seen) {
			*seen = 1;
			group->first_ns[group->n_first++] = ns;
			group->first_sum_ns += ns;
			continue;
		}
		sorting->time[sorting->at[g] + group->n++] = ns;
		group->sum_ns += ns;
	}
}

/* A group of first strands alone draws from them. */
static void fit_group(struct fit_group *group, uint64_t *time, uint64_t seed)
{
	if (!group->n) {
		fit_bins(group->bin, FAMILY_EMPIRICAL, group->fit, group->first_ns, group->n_first);
		return;
	}
	SORT(time, group->n, order_numbers);
	group->family = (uint8_t)fit_best(group->fit, time, group->n, seed);
	fit_bins(group->bin, group->family, &group->fit[group->family], time, group->n);
}

void fits_build(struct fits *fits, const struct graph *graph, uint64_t seed)
{
	uint64_t n_numbers = (uint64_t)graph->dag->n_kinds * FIT_BEGINS * FIT_ENDS;
	struct sorting sorting = { .fits = fits, .n = xcalloc(n_numbers + 1, sizeof(*sorting.n)) };

	*fits = (struct fits){ .graph = graph, .of = xcalloc(n_numbers + 1, sizeof(*fits->of)) };
	find_groups(&sorting);
	gather(&sorting);
	for (uint32_t g = 0; g < fits->n; g++)
		fit_group(&fits->group[g], sorting.time + sorting.at[g], seed + g);
	free(sorting.n);
	free(sorting.at);
	free(sorting.time);
	free(sorting.seen);
}

void fits_free(struct fits *fits)
{
	for (uint32_t g = 0; fits->group && g < fits->n; g++) {
		free(fits->group[g].first_ns);
		free(fits->group[g].bin);
	}
	free(fits->group);
	free(fits->of);
	*fits = (struct fits){ 0 };
}

/* ---- drawing ---- */

uint64_t fits_draw(const struct fits *fits, uint32_t group, strand_id s, bool first, uint64_t seed)
{
	const struct fit_group *of = &fits->group[group];
	uint64_t recorded = dag_work(fits->graph->dag, s), is = fits->graph->step[s].length, ns;
	uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + s; /* two rounds of splitmix64 */

	for (int i = 0; i < 2; i++)
		x = random_next(&x);
	ns = first ? of->first_ns[(x >> 32) * of->n_first >> 32]
		   : of->bin[(x >> 32) * FIT_BINS >> 32];
	if (is == recorded || !recorded)
		return is ? ns : 0;
	return (uint64_t)((double)ns * (double)is / (double)recorded + .5);
}
