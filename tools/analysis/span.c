/* SPDX-License-Identifier: MIT */
/* span.c - the longest path, in one loop over the strands. */
#include "tools/analysis/span.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/analysis/unjoined.h"
#include "tools/base/at_most.h"

/* The longest path up to a strand's end: no longer than the window, so 48 bits. */
struct ns48 {
	uint16_t part[3];
};
#define NS48_MOST ((UINT64_C(1) << 48) - 1)

static uint64_t read48(const struct ns48 *ns)
{
	return (uint64_t)ns->part[2] << 32 | (uint32_t)ns->part[1] << 16 | ns->part[0];
}

static void write48(struct ns48 *ns, uint64_t value)
{
	ns->part[0] = (uint16_t)value;
	ns->part[1] = (uint16_t)(value >> 16);
	ns->part[2] = (uint16_t)(value >> 32);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

struct walk {
	const struct dag *dag;
	const struct select *select;
	const struct span_burden *burden;
	struct ns48 *longest; /* by strand */
	struct unjoined unjoined;
};

/* How far the path over that edge is when its strand may begin. */
static uint64_t after(const struct walk *walk, strand_id from, strand_id to, bool charged)
{
	uint64_t ns = read48(&walk->longest[from]);
	enum edge_kind edge;

	ns = later(ns, unjoined_over(&walk->unjoined, from, to));
	if (!charged)
		return ns;
	edge = dag_edge_kind(walk->dag, from, to);
	return edge == EDGE_CREATE_CONT || edge == EDGE_JOIN ? ns + walk->burden->edge_ns : ns;
}

/* What of the burden lies inside of a collapsed task. */
static uint64_t burden_inside(const struct collapsed *collapsed, const struct span_burden *burden)
{
	unsigned __int128 ns = (unsigned __int128)burden->edge_ns * 2 * collapsed->n_tasks;

	return burden->inside ? (uint64_t)(ns < NS48_MOST ? ns : NS48_MOST) : 0;
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

/* How long the path to the strand's begin is. */
static uint64_t begin_of(const struct walk *walk, strand_id s, uint32_t *extra)
{
	const struct dag *dag = walk->dag;
	strand_id pred = dag->strand[s].pred;
	bool charged = walk->burden->edge_ns && !dag_is_node(dag, s) &&
		       select_has(walk->select, dag_start(dag, s), dag_start(dag, s));
	uint64_t begin = pred != STRAND_NONE ? after(walk, pred, s, charged) : 0, end;

	for (; *extra < dag->n_extras && dag->extra[*extra].to == s; ++*extra) {
		end = after(walk, dag->extra[*extra].from, s, charged);
		begin = later(begin, end);
	}
	return at_most(NS48_MOST, begin);
}

int span_walk(const struct dag *dag, const struct select *select, const struct span_burden *burden,
	      span_visit *visit, void *context, uint64_t *span_ns)
{
	struct walk walk = { dag, select, burden, NULL, { .dag = dag } };
	uint32_t e = 0;
	int error = 0;

	*span_ns = 0;
	walk.longest = malloc((dag->n_strands + 1ull) * sizeof(*walk.longest));
	if (!walk.longest)
		return -ENOMEM;
	for (strand_id s = 0; s < dag->n_strands && !error; s++) {
		uint64_t begin = begin_of(&walk, s, &e), join;
		uint64_t end = at_most(NS48_MOST, begin + length_of(&walk, s, &join));

		write48(&walk.longest[s], end);
		if (visit)
			visit(context, s, begin, end);
		if (join) {
			join = at_most(NS48_MOST, begin + join);
			error = unjoined_add(&walk.unjoined, s, join);
		}
		*span_ns = later(*span_ns, later(end, join));
	}
	unjoined_free(&walk.unjoined);
	free(walk.longest);
	return error;
}

int span_of(const struct dag *dag, const struct select *select, uint64_t *span_ns)
{
	static const struct span_burden none;

	return span_walk(dag, select, &none, NULL, NULL, span_ns);
}
