/* SPDX-License-Identifier: MIT */
/*
 * tried.h - what the advice of findings gave when it was simulated; whoever simulates fills it.
 *
 * A change is one of `tptrace simulate`'s options, with its value, which gives the same numbers
 * there.  Times are ns, of elapsed time on the trace's own number of workers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/analysis/schedule.h"
#include "tools/table/json.h"

#define TRIED_MOST 4u
#define TRIED_EXPERIMENTS 8u
#define TRIED_TEXT 320u
#define TRIED_TRUST 20u /* the recorded run may be off by a twentieth */

struct tried_time {
	uint64_t elapsed_ns, low_ns, high_ns; /* median, least and most of all runs */
};

struct tried_change {
	char change[TRIED_TEXT]; /* "--split scan:10" */
	struct tried_time time;
	bool is_bound;		  /* no real change gains more */
	bool is_withdrawn;	  /* an experiment that concerns it disagrees */
	uint32_t experiments;	  /* those that concern it: bit i is of experiment[i] */
	struct schedule schedule; /* of the middle run, if it was asked for, and is the best one */
};

enum tried_verdict { TRIED_AGREES, TRIED_DISAGREES, TRIED_OPEN };

/* What slowing a kind on purpose did to the run, and what the simulation says that it does. */
struct tried_experiment {
	char slowed[TRIED_TEXT]; /* "scan x1.2" */
	enum tried_verdict verdict;
	const char *name;	    /* of the verdict; if it is open: why */
	double measured, predicted; /* elapsed time, as ratio less 1 */
	bool is_of_advice;	    /* it concerns a change of some finding */
};

struct tried_finding {
	struct tried_change change[TRIED_MOST]; /* n, the one that gains most first */
	uint32_t n;
	bool is_left_out; /* too much work */
};

struct tried {
	const char *why_not; /* nothing is simulated, since ..; NULL */
	char *why;	     /* what why_not borrows; NULL */
	uint32_t n_workers, n_runs;
	uint64_t seed;
	const char *policy;
	uint64_t recorded_ns;
	struct tried_time baseline; /* the recorded run, simulated */
	bool is_trusted;	    /* that is near to recorded_ns; else no finding has a change */
	uint32_t n_left_out, n_experiments;
	struct tried_experiment experiment[TRIED_EXPERIMENTS];
	struct tried_finding *finding; /* n_findings; NULL if is_trusted is false */
	uint32_t n_findings;
};

struct look;
struct summary;

/* What the best change of a finding took from elapsed time; else_ns if nothing was tried. */
uint64_t tried_gain_ns(const struct summary *summary, uint32_t finding, uint64_t else_ns);

/* A line below the advice, and one below all findings; nothing without summary->tried. */
void tried_put_finding(FILE *out, const struct summary *summary, uint32_t finding, int indent,
		       const struct look *look);
void tried_put_end(FILE *out, const struct summary *summary, int indent, const struct look *look);

/* Members of the finding's object, and of the report's; none without. */
void tried_put_json_finding(struct json *to, const struct tried *tried, uint32_t finding);
void tried_put_json(struct json *to, const struct tried *tried);
