/* SPDX-License-Identifier: MIT */
/*
 * bounds.h - how fast a run could be on other numbers of workers.
 *
 * With T1 the work, T-infinity the span, and B the burdened span, where each create-cont and join
 * edge costs a migration, the speed-up on p workers lies in Cilkview's range [He, Leiserson,
 * Leiserson 2010]:
 *
 *	lower = T1 / (T1/p + 2 * 0.85 * B)	upper = min(p, T1 / T-infinity)
 *
 * and what the strands' order alone allows is T1 / T(p) (potential.h).  A lock allows no more than
 * T1 / serial (least.h), which caps all three.
 *
 * By default a migration costs what it did in the run: the median, over all strands that a create,
 * create-cont or join edge from another worker released, of the time from when the strand was ready
 * and its worker had nothing else to run, until it began.
 *
 * Inside of collapsed tasks work and span are known, and edges are not: B has none of them,
 * burdened_most_ns has two for each such task, as many as there can be.
 */
#pragma once

#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

#define BOUNDS_MEASURE UINT64_MAX
#define BOUNDS_WIDTHS 4u /* points for up to so many times P */
#define BOUNDS_PART .95	 /* of the best speed-up, T1 / T-infinity */

struct bounds_point {
	uint32_t workers;
	double lower, upper, ideal; /* speed-ups; lower: 0 if the burden is not known */
};

struct bounds {
	uint64_t work_ns, span_ns;
	uint64_t serial_ns;   /* of the lock with the most; 0: none */
	bool measured;	      /* else somebody said what a migration costs */
	uint64_t n_handovers; /* strands that it was measured on */
	bool burden_known;
	uint64_t burden_ns, burdened_ns, burdened_most_ns;
	uint64_t inside_ns;	    /* work of the tasks below collapsed ones */
	uint32_t n_enough;	    /* workers for BOUNDS_PART; 0: not known */
	struct bounds_point *point; /* 1 to 4P workers or more, if there is work */
	uint32_t n_points;
};

struct bounds_wanted {
	uint64_t work_ns;   /* of what is selected (breakdown.h) */
	uint64_t serial_ns; /* likewise (locks.h) */
	uint64_t burden_ns; /* what a migration costs, or BOUNDS_MEASURE */
	uint32_t workers;   /* points for at least so many; 0: no more than is usual */
};

void bounds_find(struct bounds *bounds, const struct dag *dag, const struct select *select,
		 const struct bounds_wanted *wanted);
void bounds_free(struct bounds *bounds); /* a zeroed one is fine */
