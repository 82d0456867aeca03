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

struct viewed {
	struct summed of[VIEW_SIDES_MOST];
	struct side side[VIEW_SIDES_MOST];
	struct speedups curves[VIEW_SIDES_MOST];
	struct tried tried;	 /* of the only one */
	char *diff[VIEW_SIDES_MOST]; /* of the first and this one, as JSON; NULL for the first */
	struct view_side shown[VIEW_SIDES_MOST];
	uint32_t n;
};

/* Reads n traces into a zeroed one; of each the curves that are wanted.  0, or -errno and *err. */
int viewed_open(struct viewed *viewed, char **path, uint32_t n,
		const struct speedups_wanted *curves, struct err *err);
void viewed_free(struct viewed *viewed); /* a zeroed one is fine */
