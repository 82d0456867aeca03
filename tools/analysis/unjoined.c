/* SPDX-License-Identifier: MIT */
/* unjoined.c - keeps the longest path by task, until an edge joins it. */
#include "tools/analysis/unjoined.h"

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
