/* SPDX-License-Identifier: MIT */
/* regrouped.c - runs the analyses that go by kind. */
#include "tools/summary/regrouped.h"

#include <stdlib.h>

#include "tools/analysis/part_tallies.h"
#include "tools/analysis/ready_path.h"
#include "tools/base/xalloc.h"

struct findings_of regrouped_findings_of(const struct summary *summary,
					 const struct ready_path *path)
{
	return (struct findings_of){ .dag = summary->dag,
				     .path = path,
				     .pauses = &summary->pauses,
				     .breakdown = &summary->breakdown,
				     .facts = summary->facts,
				     .machine = &summary->run->machine,
				     .machine_rows = &summary->machine,
				     .locks = &summary->locks,
				     .spots = &summary->code.spots,
				     .stretch = summary->crowded.kind,
				     .event_ps = summary->event_ps,
				     .strand_ps = summary->strand_ps,
				     /* a thread of the process is one of its own */
				     .collector_ns = defs_meta(summary->defs, "collector")
							     ? summary->collector_cpu_ns
							     : 0,
				     .n_events =
					     part_events(summary->dag, run_selected(summary->run)),
				     .elapsed_ns = summary->run->select.total_ns };
}

static void find_causes(struct regrouped *regrouped, const struct dag *dag,
			const struct summary *summary, const struct ready_path *path,
			const struct pauses *pauses)
{
	struct findings_of of = regrouped_findings_of(summary, path);

	of.dag = dag;
	of.pauses = pauses;
	of.select = run_selected(summary->run);
	of.breakdown = &regrouped->breakdown;
	of.facts = regrouped->facts;
	of.locks = NULL;
	of.spots = NULL;
	of.stretch = NULL;
	findings_build(&regrouped->findings, &of, findings_gather(&of));
}

void regrouped_facts(const struct dag *dag, const struct select *select, struct kind_facts **facts,
		     struct counts **counts)
{
	*facts = xcalloc(dag->n_kinds + 1ull, sizeof(**facts));
	kinds_of(dag, select, *facts);
	counted_build(counts, dag, select);
}

void regrouped_build(struct regrouped *regrouped, const struct dag *dag,
		     const struct summary *summary, bool with_findings)
{
	const struct select *select = run_selected(summary->run);
	AT_END(ready_path_free) struct ready_path path = { 0 };
	AT_END(pauses_free) struct pauses pauses = { 0 };

	ready_path_build(&path, dag, RUNTIMES_ALL);

	*regrouped = (struct regrouped){ 0 };
	pauses_find(&pauses, dag);
	breakdown_build(&regrouped->breakdown, dag, &path, &pauses, select);
	regrouped_facts(dag, select, &regrouped->facts, &regrouped->counts);
	if (with_findings)
		find_causes(regrouped, dag, summary, &path, &pauses);
}

void regrouped_free(struct regrouped *regrouped)
{
	breakdown_free(&regrouped->breakdown);
	findings_free(&regrouped->findings);
	free(regrouped->facts);
	free(regrouped->counts);
	*regrouped = (struct regrouped){ 0 };
}
