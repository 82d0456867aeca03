/* SPDX-License-Identifier: MIT */
/*
 * viewed.h - the traces that `tptrace view` was given, with what `tptrace diff` says of them.
 *
 * Each is read once: its summary serves both the page and the comparison with the first.
 */
#pragma once

#include "tools/whatif/speedup_curves.h"
#include "tools/whatif/try_out.h"
#include "tools/diff/side.h"
#include "tools/run/run.h"
#include "tools/view/view.h"

#define VIEWED_MOST 3 /* traces; more do not fit one below the other */

struct viewed {
	struct run run[VIEWED_MOST];
	struct summary summary[VIEWED_MOST];
	struct side side[VIEWED_MOST];
	struct speedups curves[VIEWED_MOST];
	struct tried tried;	 /* of the only one */
	char *diff[VIEWED_MOST]; /* of the first and this one, as JSON; NULL for the first */
	struct view_side shown[VIEWED_MOST];
	uint32_t n;
};

/* Reads n traces into a zeroed one; of each the curves that are wanted.  0, or -errno and *err. */
int viewed_open(struct viewed *viewed, char **path, uint32_t n,
		const struct speedups_wanted *curves, struct err *err);
void viewed_free(struct viewed *viewed); /* a zeroed one is fine */
