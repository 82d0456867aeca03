/* SPDX-License-Identifier: MIT */
/* released.h - how many strands become ready when a strand ends: a byte a strand, mostly. */
#pragma once

#include "tools/analysis/ready_path.h"
#include "tools/base/few.h"

/*
 * How a strand came to its worker.
 *
 *	steal		a create or create-cont edge released it, and it starts elsewhere than where
 *			its releaser ended
 *	migration	its task goes on, after a wait or a yield, elsewhere than where it stopped
 */
enum move { MOVE_NONE, MOVE_STEAL, MOVE_MIGRATION, MOVES };

struct released {
	struct few n; /* by strand */
};

void released_open(struct released *released, const struct dag *dag); /* of none; */
/* One more is ready when that strand ends; STRAND_NONE is none. */
static inline void released_add(struct released *released, strand_id from)
{
	if (!(from == STRAND_NONE))
		few_add(&released->n, from);
}
/* Whether it is the first that is recorded of a thread that a task made, or of one that joined it:
 * what the thread ran before is not recorded. */
static inline bool released_thread(const struct dag *dag, strand_id s)
{
	unsigned root = STRAND_FIRST | STRAND_EXTRA;

	return dag->strand[s].pred == STRAND_NONE && (dag->how[s] & root) == root;
}
/* Whether a message, a device or a thread let the strand go on, and nothing that is recorded of
 * this process: it was ready only when it started. */
static inline bool released_outside(const struct dag *dag, strand_id s)
{
	strand_id pred = dag->strand[s].pred;
	const struct dag_wait *wait;

	if (pred == STRAND_NONE)
		return released_thread(dag, s);
	wait = dag_wait_of(dag, pred);
	return wait && (wait->what == WIRE_WAIT_MESSAGE || wait->what == WIRE_WAIT_DEVICE);
}
/* When its dag_releaser() ended; or when it started, without one here. */
static inline uint64_t released_ready_ns(const struct dag *dag, strand_id s, strand_id releaser)
{
	return releaser == STRAND_NONE || released_outside(dag, s) ? dag_start(dag, s)
								   : dag_end(dag, releaser);
}
/* All of the strands of these runtimes, but for those from outside. */
void released_count(struct released *released, const struct dag *dag, uint16_t runtimes);
void released_free(struct released *released); /* a zeroed one is fine */

/* The strand's move; `releaser` is its dag_releaser(). */
enum move released_move(const struct dag *dag, strand_id s, strand_id releaser);
/* The same of who has one, by that edge. */
static inline enum move released_move_by(const struct dag *dag, strand_id s, strand_id releaser,
					 enum edge_kind edge)
{
	strand_id pred = dag->strand[s].pred;

	if (edge <= EDGE_CREATE_CONT)
		return dag->strand[releaser].worker != dag->strand[s].worker ? MOVE_STEAL
									     : MOVE_NONE;
	if (dag->how[s] & STRAND_FIRST || pred == STRAND_NONE)
		return MOVE_NONE;
	return dag->strand[pred].worker != dag->strand[s].worker ? MOVE_MIGRATION : MOVE_NONE;
}

static inline uint64_t released_by(const struct released *released, strand_id s)
{
	return few_of(&released->n, s);
}
