/* SPDX-License-Identifier: MIT */
/*
 * outcome.h - what is kept of one run, to be compared with others: its figures, and what each of
 * its kinds, places, paths, findings, locks and waits has of them.
 *
 * A run is a process, or all processes of one job: their figures are added up, but for elapsed time
 * and span, of which the longest counts; the span across ranks is put in later.  It owns its
 * strings: nothing of the trace is needed once it was added.  Times are ns.
 */
#pragma once

#include <stdint.h>
#include "tools/diff/items.h"
#include "tools/diff/tallies.h"
#include "tools/summary/summary.h"
#include "tools/summary/bytes.h"

enum figure {
	FIGURE_ELAPSED,
	FIGURE_CUMULATIVE, /* elapsed x P */
	FIGURE_WORK,	   /* the four components, which add up to it */
	FIGURE_DELAY,
	FIGURE_SCHED,
	FIGURE_APP,
	FIGURE_SPAN,
	FIGURE_PATH_WORK,
	FIGURE_PATH_SCHED,
	FIGURE_PATH_BUSY,
	FIGURE_TRACER,
	FIGURE_CPU,	 /* time of the workers on CPUs, */
	FIGURE_CPU_WAIT, /* and in wait of one; 0 if that is not known */
	FIGURE_TASKS,
	FIGURE_STRANDS,
	FIGURE_STEALS,
	FIGURE_MIGRATIONS,
	FIGURE_EVENTS_LOST,
	FIGURE_EDGES,				    /* delay, by edge */
	FIGURE_STATES = FIGURE_EDGES + EDGE_KINDS,  /* by state, the four components of each */
	FIGURE_LOADED = FIGURE_STATES + 4 * STATES, /* what other programs took: `loaded` lost it */
	FIGURES
};
/* "elapsed_ns", .. as in the JSON report; those up to FIGURE_EDGES. */
extern const char *const figure_key[FIGURE_EDGES];

struct outcome {
	union {
		struct {
			char *path;	/* of the first process's trace */
			char *command;	/* as it was called; "" */
			char *program;	/* its file's name; "" */
			char *runtimes; /* "libgomp 12, libomp 14" */
			char *slowed;	/* on purpose: "fib x1.2"; "" */
			char *model;	/* where its times are from, if time was virtual; "" */
		};
		char *text[6]; /* these */
	};
	uint64_t recorded; /* s since 1970, its first process; 0: a process does not say */
	uint64_t n_workers;
	uint32_t n_processes;
	uint32_t n_torn; /* of these: their traces are damaged, so the figures are of a part */
	uint64_t figure[FIGURES];
	struct items list[LISTS];
	struct tallies tallies; /* what was counted; items have their parts */
	uint32_t *item_of_kind; /* of the last process: by its kinds, in LIST_KINDS */
	uint32_t n_kinds;	/* of that */
};

/* Of one process, with SUMMARY_PATHS; outcome_merge() adds up several.  *outcome is yours to
 * outcome_free(). */
void outcome_build(struct outcome *outcome, const struct summary *summary);
void outcome_free(struct outcome *outcome); /* a zeroed one is fine */

/* Writes it, or reads it into a zeroed one, which is yours to outcome_free().  What is not whole
 * ends the command. */
void outcome_pass(struct outcome *outcome, struct bytes *bytes);

/* Adds a process to the run, which is zeroed at first; the run gets its path and names from the
 * first. */
void outcome_merge(struct outcome *run, const struct outcome *process);
