/* SPDX-License-Identifier: MIT */
/*
 * stretch.h - how the work of the same tasks differs between two runs: of all that lineage.h can
 * match, and of those that are stolen in the second run, and not.
 *
 * Stretch is work in the second run / work in the first.
 */
#pragma once

#include "tools/diff/match.h"
#include "tools/diff/side.h"

struct stretch_sum {
	uint64_t n, a_ns, b_ns;
};

struct stretch_task {
	uint32_t a, b; /* the lineages' task[] */
	uint32_t row;  /* of the kinds' matches */
};

/* Tasks in the second run: all, those that were stolen there, and the others. */
struct stretch_row {
	struct stretch_sum all, stolen, local;
};

#define STRETCH_TASKS 5u /* those whose work differs most are kept */

struct stretch {
	struct stretch_row sum;
	struct stretch_row *row; /* by row of the kinds' matches */
	uint64_t n_other;	 /* of the same lineage and another kind: not the same task */
	struct stretch_task most[STRETCH_TASKS]; /* the largest difference first */
	uint32_t n_most;
};

/* Of the middle runs of two sides, which are runs number a_run and b_run of `kinds`.  0 or
 * -ENOMEM. */
int stretch_build(struct stretch *stretch, const struct side *a, const struct side *b,
		  const struct matches *kinds, uint32_t a_run, uint32_t b_run);
void stretch_free(struct stretch *stretch); /* a zeroed one is fine */

static inline double stretch_of(const struct stretch_sum *sum)
{
	return sum->a_ns ? (double)sum->b_ns / (double)sum->a_ns : 0;
}
