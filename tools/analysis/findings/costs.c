/* SPDX-License-Identifier: MIT */
/* costs.c - what the runtime takes for a task; a worker without a CPU is no cost. */
#include "tools/analysis/findings/costs.h"

#include "tools/base/xalloc.h"

void cost_open(struct kind_clues *kind)
{
	kind->cost = xcalloc(COSTS, sizeof(*kind->cost));
}

/* The least bucket that has one of that rank or a later one, in ns. */
static uint64_t ranked_in(const struct cost *cost, uint64_t rank)
{
	uint32_t bucket = 0;

	while (bucket + 1 < WIRE_BUCKETS && rank >= cost->n_by_ns[bucket])
		rank -= cost->n_by_ns[bucket++];
	return wire_bucket_least(bucket);
}

/* That of which one in `part` is shorter. */
static uint64_t ranked(const struct kind_clues *kind, enum cost_of of, uint64_t part)
{
	const struct cost *cost = kind->cost ? &kind->cost[of] : NULL;

	return cost && cost->n ? ranked_in(cost, (cost->n - 1) / part) : 0;
}

uint64_t cost_median(const struct kind_clues *kind, enum cost_of of)
{
	return ranked(kind, of, 2);
}

uint64_t cost_least(const struct kind_clues *kind, enum cost_of of)
{
	return ranked(kind, of, 8);
}

#define SHARED_NS 2u /* two events that share a reading of the clock are no further apart */
#define GAPS_FEW 100u

uint64_t cost_gap(const struct kind_clues *kind, uint32_t n_kinds)
{
	struct cost all = { 0 };
	uint64_t n_shared = 0;

	for (uint32_t k = 0; k < n_kinds; k++)
		for (int of = 0; kind[k].cost && of < WORK_ALONE; of++) {
			all.n += kind[k].cost[of].n;
			for (uint32_t b = 0; b < WIRE_BUCKETS; b++)
				all.n_by_ns[b] += kind[k].cost[of].n_by_ns[b];
		}
	for (uint32_t b = 0; wire_bucket_least(b) <= SHARED_NS; b++)
		n_shared += all.n_by_ns[b];
	if (all.n - n_shared < GAPS_FEW)
		return 0;
	return ranked_in(&all, n_shared + (all.n - n_shared - 1) / 2);
}

uint64_t cost_n_from(const struct kind_clues *kind, enum cost_of of, uint64_t ns)
{
	uint64_t n = 0;

	for (uint32_t b = wire_bucket(ns); kind->cost && b < WIRE_BUCKETS; b++)
		n += kind->cost[of].n_by_ns[b];
	return n;
}

#define USUAL 4u /* medians: what takes longer in the mean does so for a few */

uint64_t cost_usual(const struct kind_clues *kind, enum cost_of of)
{
	const struct cost *cost = kind->cost ? &kind->cost[of] : NULL;
	double mean, most = (double)(USUAL * cost_median(kind, of));

	if (!cost || cost->n <= cost->n_unknown)
		return 0;
	mean = (double)cost->sum_ns / (double)cost->n;
	return (uint64_t)((mean < most ? mean : most) * (double)(cost->n + cost->n_unknown));
}
