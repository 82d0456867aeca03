/* SPDX-License-Identifier: MIT */
/* strand_paths.c - walks the critical path and the binding path, each from its end back. */
#include "tools/analysis/strand_paths.h"

#include <stdlib.h>

#include "tools/analysis/ready_path.h"
#include "tools/analysis/span.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"

static void add(struct strand_path *path, uint64_t *room, strand_id s)
{
	array_grow(&path->strand, room, path->n + 1ull, sizeof(*path->strand));
	path->strand[path->n++] = s;
}

static void turn_round(struct strand_path *path)
{
	for (uint32_t i = 0; i < path->n / 2; i++) {
		strand_id s = path->strand[i];

		path->strand[i] = path->strand[path->n - 1 - i];
		path->strand[path->n - 1 - i] = s;
	}
}

/* ---- the critical path ---- */

static void keep_end(void *context, strand_id s, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t *end = context;

	(void)begin_ns;
	end[s] = end_ns;
}

/* The first of those predecessors on the longest path; STRAND_NONE if there is none. */
static strand_id longest_before(const struct dag *dag, const uint64_t *end, strand_id s)
{
	strand_id best = dag->strand[s].pred;
	uint32_t hint = 0;

	for (uint32_t e = dag_extras(dag, s, &hint); e < dag->n_extras && dag->extra[e].to == s;
	     e++)
		if (best == STRAND_NONE || end[dag->extra[e].from] > end[best])
			best = dag->extra[e].from;
	return best;
}

void critical_path_build(struct strand_path *path, const struct dag *dag, uint64_t *span_ns)
{
	static const struct span_burden none;
	uint64_t *end = xmalloc((dag->n_strands + 1ull) * sizeof(*end));
	uint64_t room = 0;
	strand_id at = 0;

	span_walk(dag, NULL, &none, keep_end, end, span_ns);
	*path = (struct strand_path){ 0 };
	/* whose end is the latest: the longest path may go on where no strand is (span.h) */
	for (strand_id s = 1; s < dag->n_strands; s++)
		if (end[s] > end[at])
			at = s;
	for (; at < dag->n_strands; at = longest_before(dag, end, at))
		if (!dag_is_node(dag, at))
			add(path, &room, at);
	turn_round(path);
	free(end);
}

/* ---- the binding path ---- */

/* The strands that each worker ran, from the last to the first. */
struct before {
	uint16_t *back; /* by strand, how far back its worker's one before is; 0: `far`, or none */
	struct map far;
};

static strand_id before_on_worker(const struct before *before, strand_id s)
{
	const uint64_t *far = before->back[s] ? NULL : map_find(&before->far, s);

	if (before->back[s])
		return s - before->back[s];
	return far ? (strand_id)*far : STRAND_NONE;
}

static void find_before(struct before *before, const struct dag *dag)
{
	strand_id *last = xmalloc((dag->n_slots + 1ull) * sizeof(*last));

	for (uint32_t w = 0; w <= dag->n_slots; w++)
		last[w] = STRAND_NONE;
	before->back = xmalloc((dag->n_strands + 1ull) * sizeof(*before->back));
	for (strand_id s = 0; s < dag->n_strands; s++) {
		strand_id *own = &last[dag->strand[s].worker];
		bool near = *own != STRAND_NONE && s - *own <= UINT16_MAX;

		if (dag_is_node(dag, s))
			continue;
		before->back[s] = near ? (uint16_t)(s - *own) : 0;
		if (*own != STRAND_NONE && !near)
			*map_put(&before->far, s) = *own;
		*own = s;
	}
	free(last);
}

/* Calls visit() for each strand of the path, from its end back. */
static void walk_back(const struct dag *dag, void (*visit)(void *context, strand_id s),
		      void *context)
{
	struct before before = { 0 };
	strand_id s = ready_path_last(dag, RUNTIMES_ALL);
	uint32_t hint = 0;

	find_before(&before, dag);

	while (s != STRAND_NONE) {
		strand_id released = ready_path_released_by(dag, s, &hint);
		strand_id own = before_on_worker(&before, s);
		bool by_worker =
			own != STRAND_NONE &&
			(released == STRAND_NONE || dag_end(dag, own) >= dag_end(dag, released));

		visit(context, s);
		s = by_worker ? own : released;
	}
	free(before.back);
	map_free(&before.far);
}

struct summing {
	const struct dag *dag;
	const struct select *select;
	strand_id next; /* on the path; STRAND_NONE */
	struct binding_sums *sums;
	struct strand_path *path; /* NULL: not wanted */
	uint64_t room;
};

static void add_to_sums(void *context, strand_id s)
{
	struct summing *of = context;
	const struct dag *dag = of->dag;
	strand_id next = of->next;
	uint64_t end = dag_end(dag, s), start = next == STRAND_NONE ? 0 : dag_start(dag, next);

	of->next = s;
	of->sums->running_ns += select_within(of->select, dag_start(dag, s), end);
	if (start > end)
		of->sums->latency_ns += select_within(of->select, end, start);
	if (next != STRAND_NONE && dag->strand[s].worker != dag->strand[next].worker)
		of->sums->n_turns += select_has(of->select, start, start);
	if (of->path)
		add(of->path, &of->room, s);
}

void binding_path_sums(struct binding_sums *sums, struct strand_path *path, const struct dag *dag,
		       const struct select *select)
{
	struct summing summing = { dag, select, STRAND_NONE, sums, path, 0 };

	*sums = (struct binding_sums){ 0 };
	walk_back(dag, add_to_sums, &summing);
	if (path)
		turn_round(path);
}

void strand_path_free(struct strand_path *path)
{
	free(path->strand);
	*path = (struct strand_path){ 0 };
}
