/* SPDX-License-Identifier: MIT */
/*
 * compensate.h - a run as it would have been if recording took no time.
 *
 * The recorder takes time for each event, and when it holds a worker: then the worker waits for the
 * collector or collapses its own events, which is in the trace (tracer.h).  What two events cost it
 * measured at its start, and how much of that lies in the strand between them: the time from one
 * reading of the clock to the next.  The rest lies in the gap before the next strand.  And the
 * collector takes CPUs: as far as workers waited for one (machine.h), and no longer than the
 * collector had one, each worker's waits get shorter, in strands and between them.
 *
 * A strand starts some time after its worker's strand before and its releaser have both ended.
 * That time gets shorter by what the recorder took in it, and so does the strand; neither is ever
 * below 0.  All strands then start as early as that and their predecessors allow.  What each worker
 * runs, and in which order, stays as it is.  A collapsed task gets shorter in the same way: its
 * work by what lies in strands, the rest of it by what lies between them.  So
 *
 *	T-infinity <= elapsed of the compensated run <= elapsed
 *
 * What the shims' calls take is in the trace by runtime, as they tried it on that machine (defs.h,
 * calls_ps); it lies in the gap, or, where there is none, in the strand behind.  What is not taken
 * out: the rest of it, what cold caches cost, and what the runtime would have done otherwise.
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
	uint64_t event_ps;	   /* of an event */
	uint64_t strand_ps;	   /* of two, in the strand between them; 0: not known */
	uint64_t calls_ps;	   /* of the shim's calls for a strand, in the gap; 0: not known */
	uint64_t collector_cpu_ns; /* of the collector while the program ran; 0: not known */
	uint64_t ring_waits_ns;	   /* of held_ns, waits for the collector; UINT64_MAX: not known */
	const struct machine *machine; /* with the workers' waits */
};

/* All of the run. */
void compensate(struct compensated *to, const struct dag *dag,
		const struct compensate_costs *costs);
void compensated_free(struct compensated *compensated); /* a zeroed one is fine */
