/* SPDX-License-Identifier: MIT */
/*
 * arcs.h - what leads from row to row of timelines: who released a strand that began elsewhere.
 *
 * An arc stands at the time at which the strand began: half an ellipse to the right, from the row
 * of who released it to the strand's, the wider the more rows it crosses, so that arcs of different
 * reach do not cover each other [Hemmen 2011, WoolPlot].
 */
#pragma once

#include "tools/plot/axes.h"
#include "tools/plot/plot.h"

struct arcs {
	struct picture *picture;
	FILE *csv; /* a row for each, as timelines_picture() has them; NULL: none */
	const struct summary *summary;
	const struct frame *frame; /* of the rows */
	const struct scale *x;
	const uint32_t *row; /* by worker */
	uint32_t n_rows;
	unsigned wanted; /* bits of enum arc_what */
};

/* Of what begins in the selected time.  0, or -E2BIG and *err: more than ARCS_MOST. */
int arcs_put(const struct arcs *arcs, struct err *err);

/* The colour of those in the key. */
uint32_t arcs_colour(enum arc_what what);
