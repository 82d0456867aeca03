/* SPDX-License-Identifier: MIT */
/*
 * potential.h - the parallelism that a run could have had, and how fast it then is on p workers.
 *
 * Each strand stands as early as its predecessors allow [grain graphs: instantaneous parallelism]
 * Where k strands stand side by side for a time L, p workers take L * max(1, k / p), if strands may
 * be interrupted and moved at no cost [McNaughton 1959].  So
 *
 *	T(p) = sum over all k of L_k * max(1, k / p)		T1/p, T-infinity <= T(p)
 *
 * Of a collapsed task, work and span are known: it counts as if work / span strands ran all along.
 */
#pragma once

#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

#define POTENTIAL_WORKERS 65536u

struct potential {
	/* by how many strands stand side by side: more than i, at most i + 1; the last: or more */
	struct potential_step {
		double ns, area; /* for how long; times the strands */
	} * step;		 /* POTENTIAL_WORKERS */
	uint32_t n;		 /* of these, up to the last that has time */
	uint64_t span_ns;
};

void potential_find(struct potential *potential, const struct dag *dag,
		    const struct select *select);
void potential_free(struct potential *potential); /* a zeroed one is fine */

/* T(p), in ns; p is from 1 on, and below POTENTIAL_WORKERS. */
double potential_elapsed(const struct potential *potential, uint32_t p);

/* The least p with T(p) <= T-infinity / part; 0: there is none below POTENTIAL_WORKERS. */
uint32_t potential_workers(const struct potential *potential, double part);
