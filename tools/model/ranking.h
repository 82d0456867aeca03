/* SPDX-License-Identifier: MIT */
/*
 * ranking.h - all steps of a graph by the longest way from their beginning to the end.
 *
 * Rank 0 has the longest way; of equal ways, that of the task with the smaller number comes first.
 * Read-only once built.  8 bytes a step; while it is built 8 more, and 4 a task.
 */
#pragma once

#include "tools/model/graph.h"

struct ranking {
	uint32_t *rank;	 /* by step */
	strand_id *step; /* by rank */
};

void ranking_build(struct ranking *ranking, const struct graph *graph);
void ranking_free(struct ranking *ranking);			       /* a zeroed one is fine */
