/* SPDX-License-Identifier: MIT */
/*
 * crossed.h - kinds each of which is one kind of every graph, where graphs differ in their kinds.
 *
 * What a sweep of the crossed graph charges to kinds it so tells for all of the graphs at once: a
 * kind has the sum of the crossed kinds that are of it.
 */
#pragma once

#include "tools/dag/dag.h"

#define CROSSED_MOST 3u

struct crossed {
	struct dag dag;			/* borrows all but what is by kind */
	kind_id *kind_of[CROSSED_MOST]; /* by crossed kind: each graph's */
};

/* Of n graphs, 1 to CROSSED_MOST, which must outlive it. */
void crossed_build(struct crossed *crossed, const struct dag *const *dag, uint32_t n);
void crossed_free(struct crossed *crossed); /* a zeroed one is fine */
