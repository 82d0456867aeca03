/* SPDX-License-Identifier: MIT */
/*
 * beside.h - the traces that `tptrace view` was given, with what `tptrace diff` says of them.
 *
 * Each is read once: its summary serves both the page and the comparison with the first.
 */
#pragma once

#include "tools/whatif/speedup_curves.h"
#include "tools/whatif/try_out.h"
#include "tools/diff/side.h"
#include "tools/run/run.h"
#include "tools/view/view.h"

#define BESIDE_MOST 3 /* traces; more do not fit one below the other */

struct beside {
	struct run run[BESIDE_MOST];
	struct summary summary[BESIDE_MOST];
	struct side side[BESIDE_MOST];
	struct speedups curves[BESIDE_MOST];
	struct tried tried;	 /* of the only one */
	char *diff[BESIDE_MOST]; /* of the first and this one, as JSON; NULL for the first */
	struct view_side shown[BESIDE_MOST];
	uint32_t n;
};

/* Reads n traces into a zeroed one; of each the curves that are wanted.  0, or -errno and *err. */
int beside_open(struct beside *beside, char **path, uint32_t n,
		const struct speedups_wanted *curves, struct err *err);
void beside_free(struct beside *beside); /* a zeroed one is fine */
