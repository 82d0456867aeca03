/* SPDX-License-Identifier: MIT */
/* shape.c - counts edges, and tasks along paths, in one loop over the strands. */
#include "tools/analysis/shape.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/analysis/unjoined.h"
#include "tools/base/at_most.h"

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

int shape_of(const struct dag *dag, const struct select *select, struct shape *shape)
{
	uint64_t n_collapsed = 0, n_waited = 0, n_waits;
	uint32_t *most = malloc((dag->n_strands + 1ull) * sizeof(*most));
	strand_id *newest = malloc((dag->n_strands + 1ull) * sizeof(*newest)); /* it leads to */
	struct unjoined unjoined = { .dag = dag };
	uint32_t e = 0;
	int error = -ENOMEM;

	*shape = (struct shape){ 0 };
	if (!most || !newest)
		goto out;
	for (strand_id s = 0; s < dag->n_strands; s++) {
		strand_id pred = dag->strand[s].pred;
		bool has = select_has(select, dag_start(dag, s), dag_start(dag, s));
		uint32_t before = 0;

		newest[s] = STRAND_NONE;
		if (pred != STRAND_NONE) {
			before = most_of(most[pred], unjoined_over(&unjoined, pred, s));
			newest[pred] = s;
			if (has)
				count_edge(dag, shape, pred, s);
		}
		for (; e < dag->n_extras && dag->extra[e].to == s; e++) {
			strand_id from = dag->extra[e].from;

			if (newest[from] == s || dag->strand[from].task == dag->strand[s].task)
				continue; /* one edge for two reasons; it signalled for itself */
			newest[from] = s;
			before = most_of(before,
					 most_of(most[from], unjoined_over(&unjoined, from, s)));
			if (has)
				count_edge(dag, shape, from, s);
		}
		most[s] = before + (has && dag->how[s] & STRAND_FIRST && is_explicit(dag, s));
		if (has && dag->how[s] & STRAND_COLLAPSED) {
			const struct collapsed *collapsed = dag_collapsed(dag, s);
			uint32_t joined = most[s] + collapsed->join_chain;

			if (collapsed->join_chain && unjoined_add(&unjoined, s, joined) < 0)
				goto out;
			shape->span_tasks = most_of(shape->span_tasks, joined);
			most[s] += collapsed->chain;
			n_collapsed += collapsed->n_tasks;
			if (!is_explicit(dag, s)) { /* what leads from it is no edge of a task */
				shape->n_edges[EDGE_CREATE_CONT] -= collapsed->n_created;
				n_waited += collapsed->n_waited;
			}
		}
		if (most[s] > shape->span_tasks)
			shape->span_tasks = most[s];
	}
	shape->n_edges[EDGE_CREATE] += n_collapsed; /* each is created, joined, and gone on from */
	shape->n_edges[EDGE_CREATE_CONT] += n_collapsed;
	shape->n_edges[EDGE_JOIN] += n_collapsed;
	n_waits = waits_among(dag, n_collapsed);
	shape->n_edges[EDGE_WAIT_CONT] += n_waits - at_most(n_waits, n_waited);
	error = 0;
out:
	unjoined_free(&unjoined);
	free(most);
	free(newest);
	return error;
}
