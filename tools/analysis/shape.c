/* SPDX-License-Identifier: MIT */
/* shape.c - counts edges, and tasks along paths, in one loop over the strands. */
#include "tools/analysis/shape.h"

#include <stdlib.h>

#include "tools/analysis/span.h"
#include "tools/base/at_most.h"
#include "tools/base/pages.h"

static bool is_explicit(const struct dag *dag, strand_id s)
{
	uint8_t what;

	if (dag_is_node(dag, s))
		return false;
	what = dag->kind_what[dag_kind(dag, s)];
	return what == KIND_TASK || what == KIND_LOOP;
}

static void count_edge(const struct dag *dag, struct shape *shape, strand_id from, strand_id to)
{
	enum edge_kind kind = dag_edge_kind(dag, from, to);
	bool arrives = kind == EDGE_JOIN && (dag->how[from] & STRAND_ENDED_BY) == WIRE_WAIT;
	bool makes = kind == EDGE_CREATE || kind == EDGE_DEPEND;

	shape->n_edges[kind] += !arrives && is_explicit(dag, makes ? to : from);
}

static uint32_t most_of(uint64_t a, uint64_t b)
{
	return (uint32_t)(a > b ? a : b);
}

/* The trace has the waits of collapsed tasks of the whole run: so many tasks have their share. */
static uint64_t waits_among(const struct dag *dag, uint64_t n_collapsed)
{
	unsigned __int128 waits = dag->n_collapsed_waits;

	if (n_collapsed == dag->n_collapsed_tasks)
		return dag->n_collapsed_waits;
	return (uint64_t)(waits * n_collapsed / dag->n_collapsed_tasks);
}

/* The most tasks along a path to a strand's end, while there are edges from it to walk over. */
struct chains {
	uint8_t *n_edges; /* span_edges_from() */
	struct pages of;
};

struct chain {
	uint32_t most;
	strand_id to; /* the strand that it was last found to lead to */
};

static struct chain *at(const struct chains *chains, strand_id s)
{
	return pages_at(&chains->of, s);
}

static void keep_chain(struct chains *chains, strand_id s, uint32_t most)
{
	struct chain *chain;

	if (!chains->n_edges[s])
		return;
	chain = pages_hold(&chains->of, s, chains->n_edges[s]);
	*chain = (struct chain){ most, STRAND_NONE };
}

/* What comes over that edge. */
static uint32_t over(struct chains *chains, struct unjoined *unjoined, strand_id from, strand_id to)
{
	struct chain *chain = at(chains, from);
	uint32_t most = most_of(chain->most, unjoined_over(unjoined, from, to));

	chain->to = to;
	return most;
}

static void walked(struct chains *chains, strand_id from)
{
	if (chains->n_edges[from] < SPAN_EDGES_MOST)
		pages_drop(&chains->of, from);
}

void shape_of(const struct dag *dag, const struct select *select, struct shape *shape)
{
	uint64_t n_collapsed = 0, n_waited = 0, n_waits;
	struct chains chains = { .n_edges = span_edges_from(dag) };
	struct unjoined unjoined = { .dag = dag };
	uint32_t e = 0;

	pages_open(&chains.of, dag->n_strands, sizeof(struct chain));

	*shape = (struct shape){ 0 };
	for (strand_id s = 0; s < dag->n_strands; s++) {
		strand_id pred = dag->strand[s].pred;
		bool has = select_has(select, dag_start(dag, s), dag_start(dag, s));
		uint32_t most = 0;

		if (pred != STRAND_NONE) {
			most = over(&chains, &unjoined, pred, s);
			walked(&chains, pred);
			if (has)
				count_edge(dag, shape, pred, s);
		}
		for (; e < dag->n_extras && dag->extra[e].to == s; e++) {
			strand_id from = dag->extra[e].from;
			bool counts = at(&chains, from)->to != s &&
				      dag->strand[from].task != dag->strand[s].task;

			/* not one edge for two reasons, nor a signal for itself */
			most = most_of(most, counts ? over(&chains, &unjoined, from, s) : 0);
			walked(&chains, from);
			if (counts && has)
				count_edge(dag, shape, from, s);
		}
		most += has && dag->how[s] & STRAND_FIRST && is_explicit(dag, s);
		if (has && dag->how[s] & STRAND_COLLAPSED) {
			const struct collapsed *collapsed = dag_collapsed(dag, s);
			uint32_t joined = most + collapsed->join_chain;

			if (collapsed->join_chain)
				unjoined_add(&unjoined, s, joined);
			shape->span_tasks = most_of(shape->span_tasks, joined);
			most += collapsed->chain;
			n_collapsed += collapsed->n_tasks;
			if (!is_explicit(dag, s)) { /* what leads from it is no edge of a task */
				shape->n_edges[EDGE_CREATE_CONT] -= collapsed->n_created;
				n_waited += collapsed->n_waited;
			}
		}
		shape->span_tasks = most_of(shape->span_tasks, most);
		keep_chain(&chains, s, most);
	}
	shape->n_edges[EDGE_CREATE] += n_collapsed; /* each is created, joined, and gone on from */
	shape->n_edges[EDGE_CREATE_CONT] += n_collapsed;
	shape->n_edges[EDGE_JOIN] += n_collapsed;
	n_waits = waits_among(dag, n_collapsed);
	shape->n_edges[EDGE_WAIT_CONT] += n_waits - at_most(n_waits, n_waited);
	unjoined_free(&unjoined);
	pages_close(&chains.of);
	free(chains.n_edges);
}
