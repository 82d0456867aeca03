/* SPDX-License-Identifier: MIT */
/*
 * view.h - a run as one HTML page that needs nothing else: tools/view/README.md.
 *
 * The page holds the report's JSON as json.h writes it, names (meta.h), columns (columns.h) and
 * levels (bins.h); the rest is page.h's.  Of several runs it holds all that for each.
 */
#pragma once

#include "collector/trace/err.h"
#include "tools/report/summary.h"

#define VIEW_STRANDS 4000000u /* so many in full: opens in some seconds, and takes 300 MB there */

struct view_wanted {
	uint64_t most;	    /* strands in full */
	const char *source; /* folder of source files; NULL: where the trace says */
};

/* A run on the page. */
struct view_side {
	const char *label;
	const struct summary *summary;
	const char *diff; /* diff_json() of the first and this one; NULL for the first */
};

/* Writes the page of n runs; it opens with the first.  0, or -errno and *err. */
int view_put(FILE *out, const struct view_side *side, uint32_t n, const struct view_wanted *wanted,
	     struct err *err);
