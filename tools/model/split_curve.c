/* SPDX-License-Identifier: MIT */
/* split_curve.c - longest ways at a few x, and where their lines cross. */
#include "tools/model/split_curve.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"

/* x = p / q, from 0 (no end of parts) to 1 (one part). */
struct x {
	uint64_t p, q;
};

struct way {
	uint64_t elsewhere, region; /* ns */
};

struct finding_curve {
	const struct graph *graph;
	const struct kind_change *region; /* by kind */
	struct way *way;		  /* by step: the longest from its beginning on */
	uint64_t *of_kind;		  /* n_kinds, of one way */
	struct split_curve *curve;
};

static unsigned __int128 value_at(const struct way *way, struct x x)
{
	return (unsigned __int128)way->elsewhere * x.q + (unsigned __int128)way->region * x.p;
}

/* At equal values the one that is longer for more of x: upward, or downward from 1. */
static bool is_longer(const struct way *a, const struct way *b, struct x x)
{
	unsigned __int128 m = value_at(a, x), n = value_at(b, x);

	if (m != n)
		return m > n;
	return x.p == x.q ? a->region < b->region : a->region > b->region;
}

static bool is_inside(const struct finding_curve *finding, strand_id s)
{
	const struct graph *graph = finding->graph;

	return graph_may_split(graph, s) && finding->region[dag_kind(graph->dag, s)].split;
}

/* The successor that the longest way goes on to; STRAND_NONE at the end of the run. */
static strand_id next_on_way(const struct finding_curve *finding, strand_id s, struct x x)
{
	const struct graph *graph = finding->graph;
	const struct step *step = &graph->step[s];
	strand_id best = step->next;
	uint32_t n;
	const strand_id *out = graph_out(graph, step, &n);

	if (step->child != STRAND_NONE &&
	    (best == STRAND_NONE || is_longer(&finding->way[step->child], &finding->way[best], x)))
		best = step->child;
	for (uint32_t o = 0; o < n; o++)
		if (best == STRAND_NONE || is_longer(&finding->way[out[o]], &finding->way[best], x))
			best = out[o];
	return best;
}

static kind_id most_of_way(const struct finding_curve *finding, strand_id first, struct x x)
{
	const struct graph *graph = finding->graph;
	kind_id most = 0;

	for (kind_id k = 0; k < graph->dag->n_kinds; k++)
		finding->of_kind[k] = 0;
	for (strand_id s = first; s != STRAND_NONE; s = next_on_way(finding, s, x))
		if (!(graph->step[s].flags & STEP_NODE) && !is_inside(finding, s))
			finding->of_kind[dag_kind(graph->dag, s)] += graph_longest_part(graph, s);
	for (kind_id k = 1; k < graph->dag->n_kinds; k++)
		if (finding->of_kind[k] > finding->of_kind[most])
			most = k;
	return finding->of_kind[most] ? most : UINT32_MAX;
}

/* The longest way at x, as a line. */
static struct split_curve_line pass(const struct finding_curve *finding, struct x x)
{
	const struct graph *graph = finding->graph;
	strand_id first = STRAND_NONE;

	for (strand_id s = graph->n_steps; s-- > 0;) {
		strand_id next = next_on_way(finding, s, x);
		struct way way = next == STRAND_NONE ? (struct way){ 0 } : finding->way[next];
		uint64_t ns = graph_longest_part(graph, s);

		if (is_inside(finding, s))
			way.region += ns;
		else
			way.elsewhere += ns;
		finding->way[s] = way;
		if (first == STRAND_NONE || is_longer(&way, &finding->way[first], x))
			first = s;
	}
	return (struct split_curve_line){ finding->way[first].elsewhere, finding->way[first].region,
					  1, 1, most_of_way(finding, first, x) };
}

static bool is_same(const struct split_curve_line *a, const struct split_curve_line *b)
{
	return a->elsewhere_ns == b->elsewhere_ns && a->region_ns == b->region_ns;
}

/*
 * All lines between two that are known, `few` being that of fewer parts, in the order of parts, the
 * most first; `many` is in the curve already.
 */
static void between(struct finding_curve *finding, const struct split_curve_line *many,
		    const struct split_curve_line *few)
{
	struct split_curve *curve = finding->curve;
	struct x x = { many->elsewhere_ns - few->elsewhere_ns, few->region_ns - many->region_ns };
	struct split_curve_line found = pass(finding, x);
	struct way a = { many->elsewhere_ns, many->region_ns };
	struct way b = { found.elsewhere_ns, found.region_ns };

	if (value_at(&a, x) == value_at(&b, x)) {
		curve->line[curve->n - 1].from = x.q; /* k = 1 / x */
		curve->line[curve->n - 1].per = x.p;
		curve->line[curve->n++] = *few;
		return;
	}
	if (curve->n + 2 >= SPLIT_CURVE_LINES_MOST) {
		curve->is_exact = false;
		curve->line[curve->n - 1].from = x.q;
		curve->line[curve->n - 1].per = x.p;
		curve->line[curve->n++] = *few;
		return;
	}
	between(finding, many, &found);
	between(finding, &found, few);
}

/* The longest way through a strand of the kinds; `behind` is the way from there on. */
static uint64_t longest_through(const struct finding_curve *finding, const uint64_t *behind)
{
	const struct graph *graph = finding->graph;
	struct way *before = finding->way; /* elsewhere: up to the step's beginning */
	uint64_t longest = 0;

	for (strand_id s = 0; s < graph->n_steps; s++)
		before[s].elsewhere = 0;
	for (strand_id s = 0; s < graph->n_steps; s++) {
		const struct step *step = &graph->step[s];
		uint64_t end = before[s].elsewhere + graph_longest_part(graph, s);
		strand_id to[] = { step->next, step->child };
		uint32_t n;
		const strand_id *out = graph_out(graph, step, &n);

		if (is_inside(finding, s) && before[s].elsewhere + behind[s] > longest)
			longest = before[s].elsewhere + behind[s];
		for (int i = 0; i < 2; i++)
			if (to[i] != STRAND_NONE && before[to[i]].elsewhere < end)
				before[to[i]].elsewhere = end;
		for (uint32_t o = 0; o < n; o++)
			if (before[out[o]].elsewhere < end)
				before[out[o]].elsewhere = end;
	}
	return longest;
}

void split_curve_find(struct split_curve *curve, const struct graph *graph,
		      const struct kind_change *region)
{
	struct finding_curve finding = { .graph = graph, .region = region, .curve = curve };
	struct split_curve_line many, few;
	uint64_t *behind = graph_ways(graph);

	*curve = (struct split_curve){ .is_exact = true };
	finding.way = xcalloc(graph->n_steps + 1ull, sizeof(*finding.way));
	finding.of_kind = xcalloc(graph->dag->n_kinds + 1ull, sizeof(*finding.of_kind));
	for (strand_id s = 0; s < graph->n_steps; s++)
		if (is_inside(&finding, s))
			curve->work_ns += graph->step[s].length;
	many = pass(&finding, (struct x){ 0, 1 });
	few = pass(&finding, (struct x){ 1, 1 });
	curve->line[curve->n++] = many;
	if (!is_same(&many, &few))
		between(&finding, &many, &few);
	curve->slack_ns = graph->span_ns - longest_through(&finding, behind);
	free(behind);
	free(finding.way);
	free(finding.of_kind);
}

uint64_t split_curve_span(const struct split_curve *curve, uint64_t n_parts)
{
	uint64_t span = 0;

	for (uint32_t i = 0; i < curve->n; i++) {
		const struct split_curve_line *line = &curve->line[i];
		uint64_t ns = line->elsewhere_ns +
			      (n_parts ? (line->region_ns + n_parts - 1) / n_parts : 0);

		if (ns > span)
			span = ns;
	}
	return span;
}
