/* SPDX-License-Identifier: MIT */
/*
 * strand_paths.h - two paths through the strands, beside the ready path (ready_path.h).
 *
 * The critical path is a longest one by the lengths of its strands: they add up to T-infinity
 * (span.h).  Of equally long ones it goes, from its end back, to the first such predecessor.
 *
 * The binding path follows workers, too [Hemmen 2011, WoolPlot]: a strand waits for the last of its
 * predecessors, and for its worker.  From the last strand to end it goes back to whichever ended
 * last: the one that released the strand, or the one that its worker ran before; to the latter if
 * both ended at once.  What lies between is latency: nothing but the runtime delayed the strand. So
 * the path's begin, its strands' lengths and its latency add up to the end of its last strand.
 */
#pragma once

#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

struct strand_path {
	strand_id *strand; /* from the first to the last; barrier nodes are left out */
	uint32_t n;
};

/* And T-infinity. */
void critical_path_build(struct strand_path *path, const struct dag *dag, uint64_t *span_ns);
void strand_path_free(struct strand_path *path); /* a zeroed one is fine */

/* Sums of what is selected of the binding path, in ns. */
struct binding_sums {
	uint64_t running_ns, latency_ns;
	uint32_t n_turns; /* from a strand to the next on another worker */
};

/* And the path itself, unless that is NULL. */
void binding_path_sums(struct binding_sums *sums, struct strand_path *path, const struct dag *dag,
		       const struct select *select);
