/* SPDX-License-Identifier: MIT */
/*
 * summary.h - all figures and names of one report, for the outputs to print as they are.
 *
 * Times are ns.  Strings belong to the summary or the run, which must outlive it.
 */
#pragma once

#include "tools/analysis/bounds.h"
#include "tools/analysis/breakdown.h"
#include "tools/analysis/counted.h"
#include "tools/analysis/distributions.h"
#include "tools/analysis/findings/findings.h"
#include "tools/analysis/kinds.h"
#include "tools/analysis/least.h"
#include "tools/analysis/locks.h"
#include "tools/analysis/machine.h"
#include "tools/analysis/shape.h"
#include "tools/analysis/strand_paths.h"
#include "tools/analysis/teams.h"
#include "tools/analysis/wait_sites.h"
#include "tools/summary/clock_facts.h"
#include "tools/summary/code_rows.h"
#include "tools/summary/head_tail.h"
#include "tools/summary/losses.h"
#include "tools/summary/rows.h"
#include "tools/summary/crowded.h"
#include "tools/run/run.h"

/* What a process with several runtimes did on one of them. */
struct runtime_row {
	uint32_t runtime; /* its number in defs and dag */
	struct charge total;
	struct charge state[STATES];
	uint64_t from_ns, elapsed_ns; /* of its own activity, as far as it is selected */
	uint64_t n_moves[MOVES];
};

/* The same by site, where kinds have several and it is wanted; else empty. */
struct by_site {
	struct breakdown breakdown;
	struct kind_facts *facts;
	struct counts *counts;
	struct rows rows;
};

/* What a picture of the strands needs besides. */
struct drawn {
	struct ready_path path; /* of all runtimes */
	struct strand_path critical, binding;
	struct charge_bins bins; /* drawn_bins() of them; with none if the sweep was not plain */
};
uint32_t drawn_bins(const struct dag *dag);

struct speedups;
struct tried;
struct path_rows;

/* What a summary has only if it is wanted. */
#define SUMMARY_PATHS 1u   /* paths and binding */
#define SUMMARY_CALLS 2u   /* `calls` */
#define SUMMARY_SITES 4u   /* by_site */
#define SUMMARY_DETAILS 8u /* distributions, waits and shape */
#define SUMMARY_DRAWN 16u  /* with the paths: `drawn` */
#define SUMMARY_USUAL (SUMMARY_SITES | SUMMARY_DETAILS)

struct summary {
	const struct run *run;
	const struct reader_facts *file; /* the run's, */
	const struct defs *defs;
	const struct dag *dag;
	bool calls;		     /* paths are told apart by call stacks, too */
	struct path_rows *paths;     /* NULL: not wanted */
	struct binding_sums binding; /* with the paths */
	struct drawn drawn;
	struct pauses pauses;
	struct breakdown breakdown;
	struct kind_facts *facts;
	struct counts *counts; /* by kind; NULL if the trace has no counters */
	struct rows rows;      /* of kinds */
	struct by_site by_site;
	struct distributions distributions;
	struct runtime_row runtime[DAG_RUNTIMES];
	uint32_t n_runtimes; /* that have tasks */
	struct sampled sampled;
	struct code_rows code;		/* of these */
	const struct summary *baseline; /* of a run with one worker; NULL */
	struct crowded crowded;
	struct locks locks;
	struct wait_sites waits; /* for tasks */
	struct shape shape;
	struct teams teams; /* smaller than their runtime's P */
	struct machine_rows machine;
	struct findings findings;
	struct ends ends;
	uint64_t elapsed_ns;	/* of what is selected */
	uint64_t cumulative_ns; /* that, times P */
	uint64_t n_tasks;	/* all, or those that ran in the part that was asked for */
	uint64_t span_ns;
	double parallelism; /* T1 / span; 0 if there is none */
	struct least least; /* with the waits for CPUs that work and span may contain */
	struct machine_on_cpu on_cpu;
	/* least_on() P workers; where waits for CPUs inflate both, what was certainly work on a
	 * CPU, divided by the CPUs */
	uint64_t bound_ns;
	uint64_t n_begun, n_ended; /* with collapsed tasks */
	uint64_t n_strands;	   /* with collapsed ones, without barrier nodes */
	struct losses losses;
	struct clock_facts clock;
	uint64_t n_never;	   /* tasks that never began, cancelled ones apart */
	uint64_t n_unfinished;	   /* tasks that began and had not ended; roots apart */
	uint64_t tracer_ns;	   /* what recording took on the workers */
	uint64_t collector_cpu_ns; /* of the collector while the program ran; 0: not known */
	uint64_t ring_waits_ns;	   /* of the workers; UINT64_MAX: not known */
	uint64_t event_ps;	   /* what an event took, as findings.h has it; 0: not known */
	uint64_t measured_ps;	   /* the same, as the recorder measured it */
	uint64_t strand_ps;	   /* of two, what lies in the strand between them; 0: not known */
	uint64_t burden_ns;	   /* bounds_find()'s: BOUNDS_MEASURE, unless somebody said it */
	/* what somebody asked for besides, for JSON */
	bool bounds, compensate, grains;
	const struct tried *tried;     /* advice that was simulated; NULL */
	const struct speedups *curves; /* beside the bounds; NULL */
};

/* With what is wanted of SUMMARY_*.  0, or -errno and *err. */
void summary_build(struct summary *summary, const struct run *run, unsigned wanted);
/* The same, beside a run of the program with one worker, which is to outlive it; NULL: none. */
void summary_build_beside(struct summary *summary, const struct run *run, unsigned wanted,
			  const struct summary *baseline);
void summary_free(struct summary *summary);

/* A trace that is read and summed up: run_open(), and summary_build() of what is wanted.  It does
 * not move.  0, or -errno and *err. */
struct summed {
	struct run run;
	struct summary summary;
};
int summed_open(struct summed *of, const char *path, const struct phases_wanted *part,
		unsigned wanted, struct err *err);
void summed_close(struct summed *of); /* a zeroed one is fine */

/* The P of the runtime of that number in defs; if it has no tasks, as many workers as it said. */
uint32_t summary_runtime_workers(const struct summary *summary, uint32_t runtime);

/* How fast its tasks could be, on so many workers at least. */
void summary_bounds(struct bounds *bounds, const struct summary *summary, uint32_t workers);

/* The rows by site (SUMMARY_SITES), and the breakdown that they are of. */
const struct rows *summary_sites(const struct summary *summary, const struct breakdown **of);
