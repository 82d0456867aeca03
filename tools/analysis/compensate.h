/* SPDX-License-Identifier: MIT */
/*
 * compensate.h - a run as it would have been if recording took no time.
 *
 * The recorder takes time where a worker runs no strand: for each event a cost that it measured at
 * its start, and when a worker waits for the collector, which is in the trace (tracer.h).  And the
 * collector takes CPUs: as far as workers waited for one (machine.h), and no longer than the
 * collector had one, each worker's waits get shorter, in strands and between them.  A strand starts
 * some time after its worker's strand before and its releaser have both ended.  That time gets
 * shorter by what the recorder took in it: two events, of the end and of the begin, and waits for
 * the collector; it is never below 0.  All strands then start as early as that and their
 * predecessors allow.
 *
 * But for waits for a CPU work stays as it is, and so does what each worker runs, and in which
 * order; a collapsed task gets shorter by its events, as far as its worker was not busy.  So
 *
 *	T-infinity <= elapsed of the compensated run <= elapsed
 *
 * What is not taken out: the cost of the shims' own calls, of cold caches, and what the runtime
 * would have done otherwise.  An event that overlaps with the runtime's own work costs less than
 * was measured: too much may be taken out, by a few percent of what recording added.
 */
#pragma once

#include "tools/analysis/machine.h"
#include "tools/dag/dag.h"

struct compensated {
	struct dag dag;		      /* borrows what it has in common with the run's */
	uint64_t events_ns, waits_ns; /* taken out of the workers' time, and of .. */
	uint64_t cpu_ns;	      /* .. their waits for CPUs that the collector had */
};

/* What recording took, as the trace has it. */
struct compensate_costs {
	uint64_t event_ps;	       /* of an event */
	uint64_t collector_cpu_ns;     /* of the collector while the program ran; 0: not known */
	const struct machine *machine; /* with the workers' waits */
};

/* All of the run.  0 or -ENOMEM. */
int compensate(struct compensated *to, const struct dag *dag, const struct compensate_costs *costs);
void compensated_free(struct compensated *compensated); /* a zeroed one is fine */
