/* SPDX-License-Identifier: MIT */
/* bounds.c - measures what a migration costs, and computes the ranges. */
#include "tools/analysis/bounds.h"

#include <math.h>
#include <stdlib.h>

#include "tools/analysis/least.h"
#include "tools/analysis/potential.h"
#include "tools/analysis/ready_path.h"
#include "tools/analysis/span.h"
#include "tools/analysis/spread.h"
#include "tools/base/at_most.h"
#include "tools/base/xalloc.h"

#define SLOWEST 1.7 /* 2 * 0.85: how far a burdened span delays a run [Cilkview] */

/* ---- what a migration costs ---- */

/* Whether another worker let it go on, over one of the edges that a migration costs. */
static bool is_handed_over(const struct dag *dag, strand_id s, uint32_t *hint)
{
	strand_id direct = dag_releaser(dag, s, hint), by;
	enum edge_kind edge;

	if (direct == STRAND_NONE)
		return false;
	edge = dag_edge_kind(dag, direct, s);
	by = ready_path_released_by(dag, s, hint);
	return (edge <= EDGE_CREATE_CONT || edge == EDGE_JOIN) && by != STRAND_NONE &&
	       dag->strand[by].worker != dag->strand[s].worker;
}

static void count_handovers(const struct dag *dag, const struct select *select, uint64_t *end_ns,
			    struct spreads *spreads)
{
	uint32_t hint = 0;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		uint64_t *free_ns = &end_ns[dag->strand[s].worker], start = dag_start(dag, s);

		if (dag_is_node(dag, s))
			continue;
		if (select_has(select, start, start) && is_handed_over(dag, s, &hint)) {
			uint64_t ready = dag_end(dag, dag_releaser(dag, s, &hint));

			spreads_count(spreads, 0, start - (ready > *free_ns ? ready : *free_ns));
		}
		*free_ns = dag_end(dag, s);
	}
}

static void measure(struct bounds *bounds, const struct dag *dag, const struct select *select)
{
	uint64_t *end_ns = xcalloc(dag->n_slots + 1ull, sizeof(*end_ns));
	struct spreads spreads = { 0 };

	spreads_open(&spreads, 1);

	count_handovers(dag, select, end_ns, &spreads);
	spreads_settle(&spreads);
	bounds->measured = true;
	bounds->n_handovers = spreads.row[0].n;
	bounds->burden_known = spreads.row[0].n > 0;
	bounds->burden_ns = spreads_quantile(&spreads, 0, .5);
	spreads_free(&spreads);
	free(end_ns);
}

/* ---- the ranges ---- */

static void burden(struct bounds *bounds, const struct dag *dag, const struct select *select)
{
	struct span_burden of = { .edge_ns = bounds->burden_ns };

	if (!bounds->burden_known)
		return;
	span_walk(dag, select, &of, NULL, NULL, &bounds->burdened_ns);
	of.inside = true;
	bounds->burdened_most_ns = bounds->burdened_ns;
	if (dag->n_collapsed)
		span_walk(dag, select, &of, NULL, NULL, &bounds->burdened_most_ns);
}

static uint64_t work_inside(const struct dag *dag, const struct select *select)
{
	uint64_t sum = 0;

	for (strand_id s = 0; s < dag->n_strands && dag->n_collapsed; s++) {
		const struct collapsed *collapsed = dag_collapsed(dag, s);
		uint64_t length = collapsed ? dag_length(dag, s) : 0;

		if (!length)
			continue;
		sum += (uint64_t)((unsigned __int128)(collapsed->work_ns - collapsed->own_ns) *
				  select_within(select, dag_start(dag, s), dag_end(dag, s)) /
				  length);
	}
	return sum;
}

static void fill(struct bounds *bounds, const struct potential *potential)
{
	struct least least = { bounds->work_ns, bounds->span_ns, bounds->serial_ns };
	double work = (double)bounds->work_ns;
	double cap = bounds->serial_ns ? work / (double)bounds->serial_ns : INFINITY;

	for (uint32_t i = 0; i < bounds->n_points; i++) {
		struct bounds_point *point = &bounds->point[i];
		double p = i + 1., slow = work / p + SLOWEST * (double)bounds->burdened_ns;

		point->workers = i + 1;
		point->lower = bounds->burden_known ? fmin(work / slow, cap) : 0;
		point->upper = fmin(p, work / (double)least_on_any(&least));
		point->ideal = fmin(work / potential_elapsed(potential, i + 1), cap);
	}
}

static void add_points(struct bounds *bounds, const struct dag *dag, const struct select *select,
		       uint32_t workers)
{
	uint64_t usual = (uint64_t)BOUNDS_WIDTHS * dag->n_workers;
	struct potential potential;

	potential_find(&potential, dag, select);

	bounds->span_ns = potential.span_ns;
	if (bounds->span_ns && bounds->work_ns) {
		bounds->n_points =
			(uint32_t)at_most(POTENTIAL_WORKERS - 1, workers > usual ? workers : usual);
		bounds->n_enough = potential_workers(&potential, BOUNDS_PART);
		bounds->point = xcalloc(bounds->n_points + 1ull, sizeof(*bounds->point));
	}
	fill(bounds, &potential);
	potential_free(&potential);
}

void bounds_find(struct bounds *bounds, const struct dag *dag, const struct select *select,
		 const struct bounds_wanted *wanted)
{
	*bounds = (struct bounds){ .work_ns = wanted->work_ns,
				   .serial_ns = wanted->serial_ns,
				   .inside_ns = work_inside(dag, select) };
	if (wanted->burden_ns == BOUNDS_MEASURE) {
		measure(bounds, dag, select);
	} else {
		bounds->burden_known = true;
		bounds->burden_ns = wanted->burden_ns;
	}
	burden(bounds, dag, select);
	add_points(bounds, dag, select, wanted->workers);
}

void bounds_free(struct bounds *bounds)
{
	free(bounds->point);
	*bounds = (struct bounds){ 0 };
}
