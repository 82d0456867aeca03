/* SPDX-License-Identifier: MIT */
/*
 * span.h - T1, T-infinity and what they bound.
 *
 * T1 is the work; T-infinity the longest path through the dag by the lengths of its strands;
 * no run on P workers is shorter than max(T1 / P, T-infinity) [Brent 1974; Graham 1969]
 */
#pragma once

#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

/* What a path takes besides its strands. */
struct span_burden {
	uint64_t edge_ns; /* each create-cont and join edge that leads to a strand [Cilkview] */
	bool inside;	  /* and two such edges of each task below a collapsed one */
};

/* A strand as early as its predecessors allow, from the run's begin on. */
typedef void span_visit(void *context, strand_id s, uint64_t begin_ns, uint64_t end_ns);

/*
 * By what of each strand is selected, and edges into strands that begin in it.  `visit` is called
 * for each strand in order; NULL.  No path is longer than 78 hours.
 */
void span_walk(const struct dag *dag, const struct select *select, const struct span_burden *burden,
	       span_visit *visit, void *context, uint64_t *span_ns);

/*
 * By strand, how many edges lead from it, at most SPAN_EDGES_MOST: who has walked over so many
 * needs it no more.
 */
#define SPAN_EDGES_MOST UINT8_MAX
uint8_t *span_edges_from(const struct dag *dag);

/* The same without burden: T-infinity. */
void span_of(const struct dag *dag, const struct select *select, uint64_t *span_ns);

/*
 * Paths through tasks that a collapsed part of a task created and did not join.
 *
 * No strand stands for these tasks, so no edge leads from them to who joins them.  That is their
 * creator at its next wait for tasks.  If it ends before that, it is who joins the creator, if not
 * by a wait for children alone: then nobody does.
 */
struct unjoined {
	const struct dag *dag;
	struct map longest; /* task -> of the paths to tasks that it created */
};

void unjoined_free(struct unjoined *unjoined); /* one with a dag alone is fine */

/* The strand is collapsed, and a path of that length leads to a task below it. */
void unjoined_add(struct unjoined *unjoined, strand_id s, uint64_t length);

/*
 * The longest path that the edge joins, besides the one to `from`; 0 if there is none.  No further
 * edge joins it: behind a gap, the path through its task may be shorter.
 */
uint64_t unjoined_over_any(struct unjoined *unjoined, strand_id from, strand_id to);
static inline uint64_t unjoined_over(struct unjoined *unjoined, strand_id from, strand_id to)
{
	return unjoined->longest.n ? unjoined_over_any(unjoined, from, to) : 0;
}
