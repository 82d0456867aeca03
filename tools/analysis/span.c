/* SPDX-License-Identifier: MIT */
/* span.c - the longest path, in one loop over the strands. */
#include "tools/analysis/span.h"

#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/map.h"
#include "tools/base/pages.h"
#include "tools/base/zeroed.h"

/* ---- tasks that nobody joined: the longest path by task, until an edge joins it ---- */

void unjoined_free(struct unjoined *unjoined)
{
	map_free(&unjoined->longest);
}

void unjoined_add(struct unjoined *unjoined, strand_id s, uint64_t length)
{
	uint64_t *longest = map_put(&unjoined->longest, unjoined->dag->strand[s].task);

	if (length > *longest)
		*longest = length;
}

/* Whether the wait is for tasks that its task created; and for those below them. */
static bool joins(const struct dag_wait *wait, bool below)
{
	if (!wait)
		return false;
	return wait->what == WIRE_WAIT_GROUP || wait->what == WIRE_WAIT_TEAM ||
	       wait->what == WIRE_WAIT_BAG || (wait->what == WIRE_WAIT_CHILDREN && !below);
}

/* Whether `to` began as the wait ended, not behind a stop of the recording that hides that.  Of
 * bags a strand does not say so. */
static bool saw_wait_end(const struct dag *dag, strand_id from, strand_id to)
{
	return dag->how[to] & STRAND_JOINS || dag_wait_of(dag, from)->what == WIRE_WAIT_BAG;
}

uint64_t unjoined_over_any(struct unjoined *unjoined, strand_id from, strand_id to)
{
	const struct dag *dag = unjoined->dag;
	bool ended, node = dag_is_node(dag, to);
	strand_id before = dag->strand[to].pred;
	uint64_t *longest, joined;

	if (dag_is_node(dag, from))
		return 0;
	ended = (dag->how[from] & STRAND_ENDED_BY) == WIRE_END;
	if (!node && dag->strand[from].task != dag->strand[to].task) {
		if (!ended || before == STRAND_NONE || !joins(dag_wait_of(dag, before), true))
			return 0;
	} else if (!(node && ended) && !(joins(dag_wait_of(dag, from), false) &&
					 (node || saw_wait_end(dag, from, to)))) {
		return 0;
	}
	longest = map_find(&unjoined->longest, dag->strand[from].task);
	if (!longest)
		return 0;
	joined = *longest;
	*longest = 0;
	return joined;
}

#define PATH_MOST_NS ((UINT64_C(1) << 48) - 1)

struct walk {
	const struct dag *dag;
	const struct select *select;
	const struct span_burden *burden;
	uint8_t *n_after;     /* span_edges_from() */
	struct pages longest; /* ns, by strand with edges that were not asked for yet: to its end */
	struct unjoined unjoined;
	struct map longer; /* through(): who comes over the longest path -> others' + 1, or 0 */
};

/* A strand's way into a node. */
static uint64_t through(strand_id node, strand_id from)
{
	return (uint64_t)node << 32 | from;
}

/*
 * How far the path over that edge is when its strand may begin.  A task's own way through a barrier
 * is no edge between tasks.
 */
static uint64_t after(struct walk *walk, strand_id from, strand_id to, bool charged)
{
	uint64_t ns = *(uint64_t *)pages_at(&walk->longest, from);
	enum edge_kind edge;
	const uint64_t *others;

	if (walk->n_after[from] < SPAN_EDGES_MOST)
		pages_drop(&walk->longest, from);
	ns = at_least(ns, unjoined_over(&walk->unjoined, from, to));
	if (!charged)
		return ns;
	edge = dag_edge_kind(walk->dag, from, to);
	if (edge != EDGE_CREATE_CONT && edge != EDGE_JOIN)
		return ns;
	others = dag_is_node(walk->dag, from)
			 ? map_find(&walk->longer, through(from, walk->dag->strand[to].pred))
			 : NULL;
	if (!others)
		return ns + walk->burden->edge_ns;
	return *others ? at_least(ns, *others - 1 + walk->burden->edge_ns) : ns;
}

/* What of the burden lies inside of a collapsed task. */
static uint64_t burden_inside(const struct collapsed *collapsed, const struct span_burden *burden)
{
	unsigned __int128 ns = (unsigned __int128)burden->edge_ns * 2 * collapsed->n_tasks;

	return burden->inside ? (uint64_t)(ns < PATH_MOST_NS ? ns : PATH_MOST_NS) : 0;
}

/* What the strand itself adds to its paths; *join: to those through tasks that it did not join. */
static uint64_t length_of(const struct walk *walk, strand_id s, uint64_t *join)
{
	const struct dag *dag = walk->dag;
	const struct collapsed *collapsed = dag_collapsed(dag, s);
	uint64_t within = select_within(walk->select, dag_start(dag, s), dag_end(dag, s));
	uint64_t inside;

	*join = 0;
	if (!collapsed || !within)
		return within;
	inside = burden_inside(collapsed, walk->burden);
	if (collapsed->join_span_ns)
		*join = (uint64_t)((unsigned __int128)(collapsed->join_span_ns + inside) * within /
				   dag_length(dag, s));
	return (uint64_t)((unsigned __int128)(collapsed->span_ns + inside) * within /
			  dag_length(dag, s));
}

/* An arrival into a node. */
struct arrival {
	strand_id from;
	uint64_t ns, others; /* of the longest path; 1 + of the longest by another task, or 0 */
};

static void add_arrival(struct arrival *most, const struct dag *dag, strand_id from, uint64_t ns)
{
	bool same =
		most->from != STRAND_NONE && dag->strand[most->from].task == dag->strand[from].task;

	if (most->from == STRAND_NONE || ns > most->ns ||
	    (ns == most->ns && same && from > most->from)) {
		if (!same && most->from != STRAND_NONE)
			most->others = most->ns + 1;
		most->from = from;
		most->ns = ns;
	} else if (!same) {
		most->others = at_least(most->others, ns + 1);
	}
}

/* How long the path to the strand's begin is. */
static void begin_of(struct walk *walk, strand_id s, uint32_t *extra, uint64_t *begin)
{
	const struct dag *dag = walk->dag;
	strand_id pred = dag->strand[s].pred;
	bool is_node = dag_is_node(dag, s);
	bool charged = walk->burden->edge_ns && !is_node &&
		       select_has(walk->select, dag_start(dag, s), dag_start(dag, s));
	struct arrival most = { .from = STRAND_NONE };
	uint64_t *others;

	if (pred != STRAND_NONE)
		add_arrival(&most, dag, pred, after(walk, pred, s, charged));
	for (; *extra < dag->n_extras && dag->extra[*extra].to == s; ++*extra) {
		strand_id from = dag->extra[*extra].from;

		add_arrival(&most, dag, from, after(walk, from, s, charged));
	}
	*begin = at_most(PATH_MOST_NS, most.ns);
	if (!is_node || !walk->burden->edge_ns || most.from == STRAND_NONE)
		return;
	others = map_put(&walk->longer, through(s, most.from));
	*others = most.others;
}

uint8_t *span_edges_from(const struct dag *dag)
{
	uint8_t *n = zeroed_alloc(dag->n_strands + 1ull, sizeof(*n));

	for (strand_id s = 0; s < dag->n_strands; s++)
		if (dag->strand[s].pred != STRAND_NONE)
			n[dag->strand[s].pred] += n[dag->strand[s].pred] < SPAN_EDGES_MOST;
	for (uint32_t e = 0; e < dag->n_extras; e++)
		n[dag->extra[e].from] += n[dag->extra[e].from] < SPAN_EDGES_MOST;
	return n;
}

/* Keeps it for those that follow. */
static void keep_longest(struct walk *walk, strand_id s, uint64_t ns)
{
	uint64_t *longest;

	if (!walk->n_after[s])
		return;
	longest = pages_hold(&walk->longest, s, walk->n_after[s]);
	*longest = ns;
}

void span_walk(const struct dag *dag, const struct select *select, const struct span_burden *burden,
	       span_visit *visit, void *context, uint64_t *span_ns)
{
	struct walk walk = {
		.dag = dag, .select = select, .burden = burden, .unjoined = { .dag = dag }
	};
	uint32_t e = 0;

	pages_open(&walk.longest, dag->n_strands, sizeof(uint64_t));

	walk.n_after = span_edges_from(dag);
	*span_ns = 0;
	for (strand_id s = 0; s < dag->n_strands; s++) {
		uint64_t begin, end, join;

		begin_of(&walk, s, &e, &begin);
		end = at_most(PATH_MOST_NS, begin + length_of(&walk, s, &join));
		keep_longest(&walk, s, end);
		if (visit)
			visit(context, s, begin, end);
		if (join) {
			join = at_most(PATH_MOST_NS, begin + join);
			unjoined_add(&walk.unjoined, s, join);
		}
		*span_ns = at_least(*span_ns, at_least(end, join));
	}
	unjoined_free(&walk.unjoined);
	map_free(&walk.longer);
	pages_close(&walk.longest);
	free(walk.n_after);
}

void span_of(const struct dag *dag, const struct select *select, uint64_t *span_ns)
{
	static const struct span_burden none;

	span_walk(dag, select, &none, NULL, NULL, span_ns);
}
