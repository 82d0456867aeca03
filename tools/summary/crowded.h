/* SPDX-License-Identifier: MIT */
/*
 * crowded.h - what tasks take beside others: in this run, and against a baseline with one worker.
 *
 * The baseline's kinds are those of the same code.  Sums are compared, not means: more workers may
 * divide the same work into more tasks.
 */
#pragma once

#include "tools/analysis/company.h"
#include "tools/analysis/findings/findings.h"

struct summary;

enum crowded_what { CROWDED_BASELINE, CROWDED_RUN, CROWDED_BESIDE, CROWDED_WHATS };
extern const char *const crowded_what_name[CROWDED_WHATS]; /* "baseline", "run", "beside" */

/* What the tasks of a kind took in the baseline, in the run, or in it beside so many others. */
struct crowded_row {
	kind_id kind;
	uint8_t what;	 /* enum crowded_what */
	uint32_t others; /* BESIDE: at least */
	uint64_t n_tasks, work_ns;
	uint64_t cpu_ns, n_samples; /* TABLE_UNKNOWN without samples, and how many they were */
	uint64_t n_memory;	    /* of which behind loads and stores (code.h) */
	/* CPU time, or work without samples, by that of the baseline; BESIDE: of a task, by that of
	 * those beside the fewest.  NAN: not known */
	double factor;
};

struct crowded {
	struct crowded_row *row; /* by kind, the most costly first; then by what and others */
	uint32_t n;
	struct kind_stretch *kind; /* by kind; NULL: there is no baseline */
	double factor;		   /* of all kinds together; NAN: not known */
};

/* Of a summary whose kinds, samples and machine are there already; baseline: NULL, or of the same
 * program. */
void crowded_build(struct crowded *crowded, const struct summary *summary,
		   const struct summary *baseline);
void crowded_free(struct crowded *crowded); /* a zeroed one is fine */
