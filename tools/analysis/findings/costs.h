/* SPDX-License-Identifier: MIT */
/*
 * costs.h - what the runtime takes for a task: start - max(ready, the worker's end before) of each
 * strand, the time in which both could go on and did not [SCG: runtime-bound]
 */
#pragma once

#include "tools/analysis/findings/clues.h"
#include "tools/base/at_most.h"

void cost_open(struct kind_clues *kind);
static inline void cost_add(struct kind_clues *kind, enum cost_of of, uint64_t ns)
{
	struct cost *cost;

	if (!kind->cost)
		cost_open(kind);
	cost = &kind->cost[of];
	cost->n_by_ns[wire_bucket(ns)]++;
	cost->n++;
	cost->sum_ns += at_most(COST_MOST_NS, ns);
}
/* Its worker had no CPU: it may have cost what the others did. */
static inline void cost_add_unknown(struct kind_clues *kind, enum cost_of of)
{
	if (!kind->cost)
		cost_open(kind);
	kind->cost[of].n_unknown++;
}

/* The median, in ns, to an eighth; 0 if there is none. */
uint64_t cost_median(const struct kind_clues *kind, enum cost_of of);
/* The sum, each at most COST_MOST_NS, and as if the mean was at most four medians; unknown ones
 * have the mean of the others, unless they are most: then 0. */
uint64_t cost_usual(const struct kind_clues *kind, enum cost_of of);
/* That of which an eighth is shorter. */
uint64_t cost_least(const struct kind_clues *kind, enum cost_of of);
/* The median of all kinds' gaps that are more than one reading of the clock; 0 if they are few. */
uint64_t cost_gap(const struct kind_clues *kind, uint32_t n_kinds);
/* How many were as long as that, to an eighth, or longer. */
uint64_t cost_n_from(const struct kind_clues *kind, enum cost_of of, uint64_t ns);
static inline uint64_t cost_n(const struct kind_clues *kind, enum cost_of of)
{
	return kind->cost ? kind->cost[of].n : 0;
}
