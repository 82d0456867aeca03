/* SPDX-License-Identifier: MIT */
/*
 * grains.h - tasks by their grain, which is their own work: what tasks of each length cost.
 *
 * Grain g, from 1 on, is from 2^(g - 1) to below 2^g ns; tasks without work are of the first.  Row
 * 0 are tasks that have no grain: roots, implicit tasks, and those that never began.
 *
 * For collapsed tasks the trace has by kind how many there are in each eighth of a grain; what it
 * has as sums is shared out among these, work by their lengths.
 *
 * `dag` is the graph once more, with grains for kinds: an analysis of it finds by grain what it
 * finds by kind of the other one, and the sums are the same.  It borrows all else: grains_free()
 * frees it.
 */
#pragma once

#include "tools/dag/dag.h"

#define GRAINS 65u /* row 0, and one for each power of two */

struct grains {
	struct dag dag;

	/* grains.c's own, which `dag` has for its kinds and tasks */
	uint32_t *of_task;
	struct kind_collapsed *collapsed[GRAINS];
	site_id site[GRAINS];
	uint8_t what[GRAINS];
	uint16_t runtimes[GRAINS];
};

/* The graph must outlive the grains, which must not move. */
void grains_build(struct grains *grains, const struct dag *dag);
void grains_free(struct grains *grains); /* a zeroed one is fine */

/* The least work of a grain. */
static inline uint64_t grain_least_ns(uint32_t grain)
{
	return grain > 1 ? UINT64_C(1) << (grain - 1) : 0;
}
