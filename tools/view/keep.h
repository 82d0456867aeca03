/* SPDX-License-Identifier: MIT */
/*
 * keep.h - which strands the page has in full, where a trace has more than a browser can hold.
 *
 * The ready path, strands that were stolen or went elsewhere, and the longest of the rest: what is
 * left out is short, and in the levels (bins.h) all the same.  Strands keep their order.
 */
#pragma once

#include "tools/analysis/ready_path.h"
#include "tools/dag/dag.h"

struct keep {
	uint32_t n;	  /* strands that are kept */
	uint32_t *number; /* by strand, on the page; STRAND_NONE if left out.  NULL: all are kept */
};

/* At most `most` of them, but for the ready path and moves.  0 or -ENOMEM. */
int keep_choose(struct keep *keep, const struct dag *dag, const struct ready_path *path,
		uint64_t most);
void keep_free(struct keep *keep); /* a zeroed one is fine */

static inline strand_id keep_number(const struct keep *keep, strand_id s)
{
	return keep->number && s != STRAND_NONE ? keep->number[s] : s;
}
