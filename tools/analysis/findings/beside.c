/* SPDX-License-Identifier: MIT */
/* beside.c - tasks that take longer beside others, or elsewhere. */
#include "tools/analysis/findings/cause.h"
#include "tools/analysis/findings/costs.h"
#include "tools/base/at_most.h"

#define STRETCH 1.3	/* medians */
#define STRETCH_ALL 1.1 /* all but an eighth of the longer ones are so much longer, too */
#define STRETCH_TASKS 5u
#define STRETCH_MIX                                                                                \
	10u /* if one in so many is as long where none should be, they are of two sizes */

enum { STRETCH_BESIDE, STRETCH_STOLEN };

static bool is_compared(const struct kind_clues *seen)
{
	return cost_n(seen, WORK_ALONE) >= STRETCH_TASKS &&
	       cost_n(seen, WORK_BESIDE) >= STRETCH_TASKS;
}

/* How much longer; 1 if that is not sure. */
static double stretch_of(const struct kind_clues *seen, enum cost_of usual, enum cost_of longer)
{
	double median = (double)cost_median(seen, usual);

	if (cost_n(seen, usual) < STRETCH_TASKS || cost_n(seen, longer) < STRETCH_TASKS ||
	    median <= 0 || (double)cost_least(seen, longer) < STRETCH_ALL * median ||
	    (double)cost_median(seen, longer) < STRETCH * median)
		return 1;
	if (STRETCH_MIX * cost_n_from(seen, usual, cost_median(seen, longer)) >
	    cost_n(seen, longer))
		return 1;
	return (double)cost_median(seen, longer) / median;
}

static const struct {
	enum cost_of usual, longer;
} stretches[] = { [STRETCH_BESIDE] = { WORK_ALONE, WORK_BESIDE },
		  [STRETCH_STOLEN] = { WORK_LOCAL, WORK_STOLEN } };

static const struct wording ways[] = {
	[STRETCH_BESIDE] = { "beside others",
			     "while nearly all workers run: {longer} (median of {longer_tasks}), "
			     "and {usual} while few do (of {usual_tasks})",
			     "tasks that run at once share something: data on one cache line (give "
			     "each its own, 64 bytes apart), the memory's bandwidth (use what is "
			     "loaded again), or a core (fewer workers)" },
	[STRETCH_STOLEN] = { "elsewhere",
			     "on another worker than its creator's: {longer} (median of "
			     "{longer_tasks}), and {usual} on the creator's (of {usual_tasks})",
			     "keep tasks with their data: split recursively, so that one steal "
			     "takes neighbours; begin data where it is used" },
};

/* Work that may have been wait for a CPU: then it is no task's. */
static double perhaps_waited(const struct clues *clues)
{
	const struct machine_row *total = &clues->machine_rows->total;

	return total->has_wait ? (double)at_most(total->wait_most_ns, total->cpu_wait_ns)
			       : without_cpu(clues);
}

static void find_stretch(struct ledger *ledger, struct findings *findings,
			 const struct cause *cause)
{
	const struct clues *clues = ledger->clues;
	double off_ns = perhaps_waited(clues);

	for (kind_id k = 0; k < clues->dag->n_kinds; k++)
		for (unsigned i = 0; i < sizeof(stretches) / sizeof(stretches[0]); i++) {
			const struct kind_clues *seen = &clues->kind[k];
			double by = stretch_of(seen, stretches[i].usual, stretches[i].longer);
			uint64_t usual = cost_median(seen, stretches[i].usual);
			uint64_t n = cost_n(seen, stretches[i].longer);
			double longer_ns = (by - 1) * (double)usual * (double)n;
			struct finding *finding;

			if (i == STRETCH_BESIDE && is_compared(seen))
				findings->compared_ns += clues->breakdown->kind[k].work_ns;
			claim_part(ledger, ledger_row(ledger, ROW_WORK, k),
				   longer_ns - off_ns - ledger_work_taken(ledger, k));
			finding = finding_claim(findings, cause, ledger, k);
			if (!finding)
				continue;
			finding->variant = i;
			FACTS(finding, fact_string("variant", ways[i].name),
			      fact_real("factor", by),
			      fact_ns("longer", cost_median(seen, stretches[i].longer)),
			      fact_count("longer_tasks", n), fact_ns("usual", usual),
			      fact_count("usual_tasks", cost_n(seen, stretches[i].usual)));
			break;
		}
}

const struct cause cause_stretch = {
	{ "stretch", "work stretched",
	  "Tasks of one kind take longer while others run, or where their data is not: they share "
	  "a cache line, the memory or a core.",
	  "At least 5 tasks of the kind ran beside few others (or on their creator's worker), and "
	  "at least 5 beside nearly all workers (or elsewhere).  The median of the latter is at "
	  "least 1.3 times as long.  All but an eighth of them are longer, and few of the former "
	  "are as long.  Lost: the difference, less what other findings have of it, and less the "
	  "work that may have waited for a CPU; it is part of the work.",
	  "Give each worker data of its own, 64 bytes apart (false sharing); use what is loaded "
	  "again; keep tasks with their data; fewer workers." },
	.find = find_stretch,
	.ways = ways,
	.what = "the same tasks take {factor} times as long ",
	.advice = "; tptrace diff with a run on 1 worker tells whether it is that, or the tasks "
		  "have less to do where they are shorter",
};
