/* SPDX-License-Identifier: MIT */
/* leads.c - measures leads, and makes them ready to be drawn. */
#include "tools/model/leads.h"

#include <stdlib.h>
#include <string.h>

#include "tools/analysis/ready_path.h"
#include "tools/analysis/released.h"
#include "tools/base/xalloc.h"
#include "tools/model/graph.h"

/* ---- how a strand began ---- */

void lead_walk_open(struct lead_walk *walk, const struct dag *dag)
{
	*walk = (struct lead_walk){ .dag = dag, .last = xmalloc((dag->n_slots + 1ull) * 4) };
	memset(walk->last, 0xff, (dag->n_slots + 1ull) * 4);
}

void lead_walk_close(struct lead_walk *walk)
{
	free(walk->last);
	*walk = (struct lead_walk){ 0 };
}

static enum lead lead_of_first(const struct dag *dag, strand_id s, strand_id from, bool was_free)
{
	if (dag->strand[from].worker == dag->strand[s].worker)
		return LEAD_BEGIN;
	if (dag->kind_what[dag_kind(dag, s)] == KIND_IMPLICIT)
		return LEAD_MEMBER;
	return was_free ? LEAD_WAKE : LEAD_TAKE;
}

/* Of a strand that follows its task's `pred`, whose end is all that it waited for. */
static enum lead lead_of_return(const struct dag *dag, strand_id pred)
{
	const struct dag_wait *wait = dag_wait_of(dag, pred);

	switch (dag->how[pred] & STRAND_ENDED_BY) {
	case WIRE_CREATE:
		return LEAD_CREATE;
	case WIRE_WAIT:
		if (!wait || wait->what < WIRE_WAIT_OBJECT)
			return LEAD_RESUME;
		return wait->what == WIRE_WAIT_OBJECT ? LEAD_CALL : LEAD_OUTSIDE;
	case WIRE_YIELD:
		return LEAD_YIELD;
	default:
		return LEAD_CALL;
	}
}

static bool waits_for_object(const struct dag *dag, strand_id pred)
{
	return (dag->how[pred] & STRAND_ENDED_BY) == WIRE_WAIT && dag_object_of(dag, pred);
}

static enum lead lead_of_next(const struct dag *dag, strand_id s, strand_id from, strand_id before,
			      bool was_free)
{
	strand_id pred = dag->strand[s].pred;
	bool moved = dag->strand[pred].worker != dag->strand[s].worker;
	uint8_t ended_by = dag->how[pred] & STRAND_ENDED_BY;

	if (from == pred && (before == pred || ended_by != WIRE_CREATE))
		return lead_of_return(dag, pred); /* nothing kept it, wherever it went on */
	if (moved && dag->strand[from].worker == dag->strand[s].worker)
		return LEAD_RESUME;
	if (moved)
		return was_free ? LEAD_WAKE : LEAD_TAKE;
	if (from == pred && ended_by == WIRE_CREATE)
		return LEAD_BACK;
	if (from != pred && waits_for_object(dag, pred))
		return LEAD_HANDOVER;
	return was_free && from != pred ? LEAD_REJOIN : LEAD_RESUME;
}

enum lead lead_walk_next(struct lead_walk *walk, strand_id s, uint64_t *ns)
{
	const struct dag *dag = walk->dag;
	strand_id before = walk->last[dag->strand[s].worker], pred = dag->strand[s].pred;
	strand_id from = ready_path_released_by(dag, s, &walk->hint);
	uint64_t free_ns = before == STRAND_NONE ? 0 : dag_end(dag, before);
	uint64_t ready_ns = from == STRAND_NONE ? 0 : dag_end(dag, from);
	uint64_t since = free_ns > ready_ns ? free_ns : ready_ns, start = dag_start(dag, s);
	bool was_free = free_ns < ready_ns;

	walk->last[dag->strand[s].worker] = s;
	*ns = start > since ? start - since : 0;
	if (from != STRAND_NONE && released_thread(dag, s))
		*ns = start - ready_ns; /* its thread's own code, and what starting it took */
	if (from == STRAND_NONE || released_thread(dag, s))
		return LEAD_OUTSIDE;
	if (pred == STRAND_NONE || dag->how[s] & STRAND_FIRST)
		return lead_of_first(dag, s, from, was_free);
	return lead_of_next(dag, s, from, before, was_free);
}

/* ---- to be drawn ---- */

struct counted {
	uint64_t n[WIRE_BUCKETS], sum[WIRE_BUCKETS];
};

/* [Vose 1991]: bins that are too small get the rest of their share from one that is too large. */
void lead_spread_fill(struct lead_spread *spread, double *share, const uint64_t *mean_ns,
		      uint32_t n)
{
	uint32_t small[LEAD_BINS], large[LEAD_BINS], n_small = 0, n_large = 0;

	spread->bin = xcalloc(LEAD_BINS, sizeof(*spread->bin));
	spread->n_bins = n;
	for (uint32_t i = 0; i < n; i++) {
		share[i] *= n;
		spread->bin[i] = (struct lead_bin){ mean_ns[i], UINT32_MAX, i };
		if (share[i] < 1)
			small[n_small++] = i;
		else
			large[n_large++] = i;
	}
	while (n_small && n_large) {
		uint32_t little = small[--n_small], much = large[n_large - 1];

		spread->bin[little].keep = (uint32_t)(share[little] * UINT32_MAX);
		spread->bin[little].other = much;
		share[much] -= 1 - share[little];
		if (share[much] < 1) {
			n_large--;
			small[n_small++] = much;
		}
	}
}

static void make_bins(struct lead_spread *spread, const struct counted *counted)
{
	double share[LEAD_BINS];
	uint64_t mean_ns[LEAD_BINS];
	uint32_t n = 0;

	for (uint32_t b = 0; b < WIRE_BUCKETS; b++) {
		if (!counted->n[b])
			continue;
		share[n] = (double)counted->n[b] / (double)spread->n;
		mean_ns[n++] = counted->sum[b] / counted->n[b];
	}
	lead_spread_fill(spread, share, mean_ns, n);
}

/* What is most like a class that the trace does not have. */
static void stand_in(struct leads *leads)
{
	static const enum lead like[][2] = {
		{ LEAD_TAKE, LEAD_WAKE },	{ LEAD_TAKE, LEAD_BEGIN },
		{ LEAD_BACK, LEAD_BEGIN },	{ LEAD_BACK, LEAD_CREATE },
		{ LEAD_WAKE, LEAD_TAKE },	{ LEAD_WAKE, LEAD_REJOIN },
		{ LEAD_REJOIN, LEAD_WAKE },	{ LEAD_REJOIN, LEAD_RESUME },
		{ LEAD_RESUME, LEAD_CALL },	{ LEAD_RESUME, LEAD_CREATE },
		{ LEAD_BEGIN, LEAD_TAKE },	{ LEAD_BEGIN, LEAD_CREATE },
		{ LEAD_CREATE, LEAD_CALL },	{ LEAD_CREATE, LEAD_BEGIN },
		{ LEAD_HANDOVER, LEAD_REJOIN }, { LEAD_MEMBER, LEAD_WAKE },
	};

	for (size_t i = 0; i < sizeof(like) / sizeof(like[0]); i++) {
		struct lead_spread *to = &leads->of[like[i][0]];
		const struct lead_spread *from = &leads->of[like[i][1]];

		if (to->n || !from->n || leads->stands_in[like[i][1]])
			continue;
		memcpy(to->bin, from->bin, LEAD_BINS * sizeof(*to->bin));
		to->n = from->n;
		to->sum_ns = from->sum_ns;
		to->n_bins = from->n_bins;
		leads->stands_in[like[i][0]] = true;
	}
}

static bool is_steal(enum lead of)
{
	return of == LEAD_TAKE || of == LEAD_WAKE;
}

/* Of a worker's first strand, a steal: its thread had to start, which happens once (searches.h). */
static bool is_start(const struct graph *graph, strand_id s, uint8_t *began)
{
	const struct step *step = &graph->step[s];
	uint32_t worker = graph->dag->strand[s].worker;
	bool first = !began[worker];

	began[worker] = 1;
	return first && is_steal(step->lead_of);
}

/* As long as the kernel lets another thread run, and workers did wait for CPUs so long. */
#define SLICE_NS 1000000u

static bool is_wait_for_cpu(const struct step *step, uint64_t *cpu_wait_ns)
{
	bool is_chance = is_steal(step->lead_of) || step->lead_of == LEAD_REJOIN;

	if (!is_chance || step->lead < SLICE_NS || step->lead > *cpu_wait_ns)
		return false;
	*cpu_wait_ns -= step->lead;
	return true;
}

void leads_build(struct leads *leads, const struct graph *graph, uint64_t cpu_wait_ns)
{
	struct counted *counted = xcalloc(LEADS, sizeof(*counted));
	uint8_t *began = xcalloc(graph->dag->n_slots + 1ull, sizeof(*began));

	*leads = (struct leads){ 0 };
	for (strand_id s = 0; s < graph->n_steps; s++) {
		const struct step *step = &graph->step[s];

		if (step->flags & STEP_NODE || is_start(graph, s, began) ||
		    is_wait_for_cpu(step, &cpu_wait_ns))
			continue;
		counted[step->lead_of].n[wire_bucket(step->lead)]++;
		counted[step->lead_of].sum[wire_bucket(step->lead)] += step->lead;
		leads->of[step->lead_of].n++;
		leads->of[step->lead_of].sum_ns += step->lead;
	}
	for (int of = 0; of < LEADS; of++)
		make_bins(&leads->of[of], &counted[of]);
	stand_in(leads);
	free(began);
	free(counted);
}

void leads_free(struct leads *leads)
{
	for (int of = 0; of < LEADS; of++)
		free(leads->of[of].bin);
	*leads = (struct leads){ 0 };
}
