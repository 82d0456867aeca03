/* SPDX-License-Identifier: MIT */
/*
 * charge_bins.h - the four components over time, in bins of equal length, taken along by a sweep
 * whose rates are constant from step to step (sweep_step.h: a plain one); exact, as integers.
 */
#pragma once

#include "tools/analysis/states.h"

struct charge_bins {
	uint64_t width_ns;
	uint32_t n;
	struct charge *bin; /* n; NULL: no sweep was plain */
	uint64_t next_ns;   /* where bin[at] ends */
	uint32_t at;
	struct charge until_at; /* total at the begin of bin[at] */
};

/* Of a window of elapsed_ns. */
void charge_bins_open(struct charge_bins *bins, uint64_t elapsed_ns, uint32_t n);
/* [from_ns, to_ns) in which the total grew from `before` to `after` reaches next_ns. */
void charge_bins_pass(struct charge_bins *bins, uint64_t from_ns, uint64_t to_ns,
		      const struct charge *before, const struct charge *after);
void charge_bins_end(struct charge_bins *bins, const struct charge *total);
void charge_bins_free(struct charge_bins *bins); /* a zeroed one is fine */
