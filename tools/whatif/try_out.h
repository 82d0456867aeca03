/* SPDX-License-Identifier: MIT */
/*
 * try_out.h - simulates what findings advise, on the trace's own number of workers, as
 * `tptrace simulate` does with the same change.
 *
 * The work is limited: of a large trace each change is simulated once, and then the findings that
 * lost least are left out.
 */
#pragma once

#include "collector/trace/err.h"
#include "tools/whatif/experiments.h"
#include "tools/summary/summary.h"
#include "tools/summary/tried.h"

/* With experiments, NULL if there are none, the trace is that of their plain side's middle run;
 * what one disagrees with is withdrawn.  0, or -errno and *err.  *tried is yours to try_out_free(),
 * whatever is returned. */
int try_out(struct tried *tried, const struct summary *summary,
	    const struct experiments *experiments, struct err *err);
void try_out_free(struct tried *tried); /* a zeroed one is fine */
