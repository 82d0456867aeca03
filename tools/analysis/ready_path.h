/* SPDX-License-Identifier: MIT */
/*
 * ready_path.h - the ready path: from the last strand to end, back, each time to the predecessor
 * that ended last.  Along it something is always running or ready.  [DESIGN: ready path; Huynh and
 * Taura 2017, Delay Spotter]
 */
#pragma once

#include "tools/dag/dag.h"

struct ready_path {
	strand_id *strand; /* from the first to the last; barrier nodes are left out */
	uint32_t n;
};

/*
 * From the last strand of these runtimes (bits; RUNTIMES_ALL: of the process), through whatever
 * released it.
 */
#define RUNTIMES_ALL UINT16_MAX
void ready_path_build(struct ready_path *path, const struct dag *dag, uint16_t runtimes);
void ready_path_free(struct ready_path *path);

/* The last strand of these runtimes to end, the newest of several; but one that ended rather than
 * one that was cut off.  STRAND_NONE if there is none. */
strand_id ready_path_last(const struct dag *dag, uint16_t runtimes);

/* A releaser, or, if it is a barrier's node, the strand that released that. */
strand_id ready_path_behind(const struct dag *dag, strand_id node);
static inline strand_id ready_path_through(const struct dag *dag, strand_id from)
{
	if (from == STRAND_NONE || !dag_is_node(dag, from))
		return from;
	return ready_path_behind(dag, from);
}

/* The strand whose end let this one start: its releaser, or, through barriers, theirs.  `hint`
 * is dag_extras()'s. */
strand_id ready_path_released_by(const struct dag *dag, strand_id s, uint32_t *hint);
