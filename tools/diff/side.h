/* SPDX-License-Identifier: MIT */
/*
 * side.h - the runs of one side of a diff: of one version, on one runtime and number of workers.
 *
 * Its figures are those of one of its runs, the one whose elapsed time is the median (the lower one
 * of two), so that they add up; how much the others differ is the interval.
 */
#pragma once

#include "tools/diff/interval.h"
#include "tools/diff/lineage.h"
#include "tools/diff/outcome.h"

struct side {
	char *label;	     /* as it was named in the call */
	struct outcome *run; /* n of them */
	char **report;	     /* of each run, as JSON; NULL: not wanted */
	uint32_t n, middle;  /* run[middle] has the median */
	uint64_t run_room, report_room;
	struct lineage lineage; /* of that one */
};

/* A zeroed run at the end, with its report, which is the side's from now on. */
void side_add(struct side *side, struct outcome *run, char *report);
/* Finds the middle, when all were added. */
void side_complete(struct side *side);
void side_free(struct side *side); /* a zeroed one is fine */
/* Whether a run's trace is damaged: a part of one says nothing of how long it took. */
bool side_is_torn(const struct side *side);

static inline const struct outcome *side_outcome(const struct side *side)
{
	return &side->run[side->middle];
}

static inline uint64_t side_figure(const struct side *side, enum figure figure)
{
	return side->run[side->middle].figure[figure];
}

/* How much a figure differs between its runs; n is 0 if memory has run out. */
struct interval side_interval(const struct side *side, enum figure figure);
