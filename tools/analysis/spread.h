/* SPDX-License-Identifier: MIT */
/*
 * spread.h - how values are spread: rows of histograms that take little room.
 *
 * Values are counted in the trace's buckets, wire_bucket(), which
 * tell them to an eighth.  n, sum, least and most are exact; percentiles lie in the bucket that has
 * them, as if its values were spread evenly over it.  One thread.
 */
#pragma once

#include "tools/base/map.h"
#include "tools/dag/dag.h"

struct spread {
	uint64_t n, sum, least, most;
	uint32_t first_bin, n_bins;
};

struct spread_bin {
	uint32_t bucket;
	uint64_t n;
};

struct spreads {
	struct spread *row; /* n_rows */
	uint64_t n_rows;
	struct spread_bin *bin; /* those with values, by row and bucket; after spreads_settle() */
	struct map count;	/* row and bucket -> n, before */
};

void spreads_open(struct spreads *spreads, uint64_t n_rows);
void spreads_free(struct spreads *spreads);		    /* a zeroed one is fine */

void spreads_count(struct spreads *spreads, uint64_t row, uint64_t value);
/* n values of that bucket; the caller sees to sum, least and most. */
void spreads_count_bucket(struct spreads *spreads, uint64_t row, uint32_t bucket, uint64_t n);
/* After the last value. */
void spreads_settle(struct spreads *spreads);

/* The value below which that part of the row's values lies; 0 if it has none. */
uint64_t spreads_quantile(const struct spreads *spreads, uint64_t row, double part);
