/* SPDX-License-Identifier: MIT */
/*
 * teams.h - parallel regions whose team had fewer workers than their runtime ever had.
 *
 * P is the runtime's largest; while a smaller team works, the others have no work, which no task is
 * to blame for.  Only regions that a thread forked outside of any task count: an inner team shares
 * the workers with its like.  A trace that lost events says nothing of members.
 */
#pragma once

#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

/* Regions of one kind (of their implicit tasks). */
struct team_row {
	uint32_t kind;
	uint32_t least, most; /* workers of a team */
	uint32_t n_workers;   /* of the runtime: more than that */
	uint64_t n_times;
	uint64_t elapsed_ns; /* of all of them, as far as it is selected */
};

struct teams {
	struct team_row *row; /* the longest first */
	uint32_t n;
};

void teams_find(struct teams *teams, const struct dag *dag, const struct select *select);
void teams_free(struct teams *teams); /* a zeroed one is fine */
