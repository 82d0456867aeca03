/* SPDX-License-Identifier: MIT */
/*
 * unjoined.h - paths through tasks that a collapsed part of a task created and did not join.
 *
 * No strand stands for these tasks, so no edge leads from them to who joins them.  That is their
 * creator at its next wait for tasks.  If it ends before that, it is who joins the creator, if not
 * by a wait for children alone: then nobody does.
 */
#pragma once

#include "tools/dag/dag.h"

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
