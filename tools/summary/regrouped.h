/* SPDX-License-Identifier: MIT */
/* regrouped.h - what summary_build() finds by kind, of the same graph with other kinds. */
#pragma once

#include "tools/summary/summary.h"

struct regrouped {
	struct breakdown breakdown;
	struct kind_facts *facts;
	struct counts *counts;	  /* NULL if the trace has no counters */
	struct findings findings; /* of which grain[] is by kind; empty if nobody asked for it */
};

/* Of the summary's graph, as `dag` groups it, and its selection. */
void regrouped_build(struct regrouped *regrouped, const struct dag *dag,
		     const struct summary *summary, bool with_findings);
/* The facts of a graph's kinds, and their counts.  What there is is yours to free(). */
void regrouped_facts(const struct dag *dag, const struct select *select, struct kind_facts **facts,
		     struct counts **counts);
/* What findings ask about of the summary's own graph, all of the run. */
struct findings_of regrouped_findings_of(const struct summary *summary,
					 const struct ready_path *path);
void regrouped_free(struct regrouped *regrouped); /* a zeroed one is fine */
