/* SPDX-License-Identifier: MIT */
/*
 * try_out.h - simulates what findings advise, on the trace's own number of workers, as
 * `tptrace simulate` does with the same change.
 *
 * The work is limited: of a large trace each change is simulated once, and then the findings that
 * lost least are left out.  How often is the same for everybody, so that all say the same times.
 */
#pragma once

#include "collector/trace/err.h"
#include "tools/summary/summary.h"
#include "tools/summary/tried.h"

#define TRY_STRANDS UINT64_C(100000000) /* simulated in all: about half a minute of one core */

struct experiments; /* experiments.h */

struct try_wanted {
	/* The trace is that of their plain side's middle run; what one disagrees with is
	 * withdrawn.  NULL: none. */
	const struct experiments *experiments;
	uint64_t strands_most; /* simulated in all; at most TRY_STRANDS */
	bool schedules;	       /* of each finding's best change */
};

/* 0, or -errno and *err.  *tried is yours to try_out_free(), whatever is returned. */
int try_out(struct tried *tried, const struct summary *summary, const struct try_wanted *wanted,
	    struct err *err);
void try_out_free(struct tried *tried); /* a zeroed one is fine */
