/* SPDX-License-Identifier: MIT */
/*
 * summary.h - all figures and names of one report, for the outputs to print as they are.
 *
 * Times are ns.  Strings belong to the summary, the reader or the names that it was made from,
 * which must outlive it.
 */
#pragma once

#include "collector/reader.h"
#include "tools/analysis/breakdown.h"
#include "tools/analysis/findings.h"
#include "tools/analysis/kinds.h"
#include "tools/analysis/phases.h"
#include "tools/analysis/shape.h"
#include "tools/analysis/teams.h"
#include "tools/export/clock.h"
#include "tools/export/losses.h"
#include "tools/names/names.h"

struct place {
	const char *name; /* never NULL */
	const char *file; /* NULL if not known */
	uint32_t line;
	const char *module; /* NULL if not known */
};

struct kind_row {
	uint32_t kind;
	struct place code; /* where its function begins */
	struct place site; /* where it is created */
	const struct kind_facts *facts;
	const struct charge *charge;
};

/* What a process with several runtimes did on one of them. */
struct runtime_row {
	uint32_t runtime; /* its number in defs and dag */
	struct charge total;
	struct charge state[STATES];
	uint64_t from_ns, elapsed_ns; /* of its own activity, as far as it is selected */
	uint64_t n_steals;
};

struct end_time {
	bool known;
	uint64_t ns;
};

struct summary {
	const struct reader_facts *file;
	const struct defs *defs;
	const struct dag *dag;
	struct phases phases;
	struct select select; /* what is analysed of the window */
	struct tracer tracer;
	struct breakdown breakdown;
	struct kind_facts *facts;
	struct kind_row *row; /* n_rows kinds that have tasks, the most costly first */
	uint32_t n_rows;
	struct runtime_row runtime[DAG_RUNTIMES];
	uint32_t n_runtimes; /* that have tasks */
	struct shape shape;
	struct teams teams; /* smaller than their runtime's P */
	struct findings findings;
	struct end_time head, tail; /* of the process, outside of the window: ends.h */
	uint64_t elapsed_ns;	/* of what is selected */
	uint64_t cumulative_ns; /* that, times P */
	uint64_t n_tasks;	/* all, or those that ran in the part that was asked for */
	uint64_t span_ns;
	double parallelism;	   /* T1 / span; 0 if there is none */
	uint64_t bound_ns;	   /* max(T1 / P, span) */
	uint64_t n_begun, n_ended; /* with hidden tasks */
	uint64_t n_strands;	   /* with hidden ones, without barrier nodes */
	struct losses losses;
	struct clock_facts clock;
	uint64_t n_never;	   /* tasks that never began, cancelled ones apart */
	uint64_t n_unfinished;	   /* tasks that began and had not ended; roots apart */
	uint64_t tracer_ns;	   /* what recording took on the workers */
	char **owned;
	uint32_t n_owned;
};

/* Of what is wanted of the window.  0, or -errno and *err. */
int summary_build(struct summary *summary, const struct reader *reader, const struct dag *dag,
		  struct names *names, const struct phases_wanted *wanted, struct err *err);
void summary_free(struct summary *summary);

/* The row of a kind that has tasks. */
const struct kind_row *summary_row(const struct summary *summary, uint32_t kind);

/* What was found, and what to try, as sentences; each has room for FINDING_TEXT bytes. */
#define FINDING_TEXT 240
void summary_sentences(const struct summary *summary, const struct finding *finding,
		       char what[FINDING_TEXT], char advice[FINDING_TEXT]);

/* "name, file:line", as far as it is known.  Returns out. */
char *place_text(char *out, size_t room, const struct place *place);

/* The name of a file without its directories. */
const char *place_base(const char *path);
