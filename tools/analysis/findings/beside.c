/* SPDX-License-Identifier: MIT */
/* beside.c - tasks that take longer beside others, or elsewhere. */
#include "tools/analysis/findings/cause.h"
#include "tools/analysis/findings/costs.h"
#include "tools/base/at_most.h"

#define STRETCH 1.3	/* medians */
#define STRETCH_ALL 1.1 /* all but an eighth of the longer ones are so much longer, too */
#define STRETCH_TASKS 5u
#define MEMORY_MOST .5 /* of what they grew by, or else of all their CPU time */
#define STRETCH_MIX                                                                                \
	10u /* if one in so many is as long where none should be, they are of two sizes */

enum { STRETCH_BESIDE, STRETCH_STOLEN, STRETCH_BASELINE, STRETCH_MEMORY, STRETCH_BESIDE_MEMORY };

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

#define AS_LONG "the same tasks take {factor} times as long "
#define SHARED                                                                                     \
	"tasks that run at once share something: data on one cache line (give each its own, 64 "   \
	"bytes apart), the memory's bandwidth (use what is loaded again), or a core (fewer "       \
	"workers)"
#define OF_MEMORY                                                                                  \
	"they share the memory's bandwidth, or a cache: use what is loaded again before the next " \
	"piece (blocks that fit a cache), store less (smaller types, no copies), or take fewer "   \
	"workers"
#define WHILE_OTHERS                                                                               \
	AS_LONG "while nearly all workers run: {longer} (median of {longer_tasks}), and {usual} "  \
		"while few do (of {usual_tasks})"
#define MAY_BE_LESS                                                                                \
	"; `tptrace record --baseline` tells whether it is that, or the tasks have less to do "    \
	"where they are shorter"
static const struct wording ways[] = {
	[STRETCH_BESIDE] = { "beside others", WHILE_OTHERS, SHARED MAY_BE_LESS },
	[STRETCH_BESIDE_MEMORY] = { "memory beside others",
				    WHILE_OTHERS
				    "; {memory} of their CPU time is at loads and stores of memory "
				    "that no other worker uses",
				    OF_MEMORY MAY_BE_LESS },
	[STRETCH_STOLEN] = { "elsewhere",
			     AS_LONG
			     "on another worker than its creator's: {longer} (median of "
			     "{longer_tasks}), and {usual} on the creator's (of {usual_tasks})",
			     "keep tasks with their data: split recursively, so that one steal "
			     "takes neighbours; begin data where it is used" MAY_BE_LESS },
	[STRETCH_BASELINE] = { "baseline",
			       "these tasks take {factor} x the CPU time side by side: {longer} in "
			       "all, and {usual} in the run with one worker",
			       SHARED },
	[STRETCH_MEMORY] = { "memory",
			     "these tasks take {factor} x the CPU time side by side: {longer} in "
			     "all, and {usual} in the run with one worker; {memory} of that is at "
			     "loads and stores of memory that no other worker uses",
			     OF_MEMORY },
};

/* Work that may have been wait for a CPU: then it is no task's. */
static double perhaps_waited(const struct clues *clues)
{
	const struct machine_row *total = &clues->machine_rows->total;

	return total->has_wait ? (double)at_most(total->wait_most_ns, total->cpu_wait_ns)
			       : without_cpu(clues);
}

/* Beyond what other findings have of it.  What the baseline tells is certain: whoever is as long
 * there was not stretched. */
static void find_by_baseline(struct ledger *ledger, struct findings *findings,
			     const struct cause *cause, kind_id k)
{
	const struct kind_stretch *stretch = &ledger->clues->stretch[k];
	struct finding *finding;

	if (!stretch->is_sure || stretch->factor < STRETCH)
		return;
	claim_part(ledger, ledger_row(ledger, ROW_WORK, k),
		   (double)(stretch->longer_ns - stretch->usual_ns) - ledger_work_taken(ledger, k));
	finding = finding_claim(findings, cause, ledger, k);
	if (!finding)
		return;
	finding->variant = stretch->memory > MEMORY_MOST ? STRETCH_MEMORY : STRETCH_BASELINE;
	if (finding->variant == STRETCH_MEMORY)
		FACTS(finding, fact_share("memory", stretch->memory < 1 ? stretch->memory : 1));
	FACTS(finding, fact_string("variant", ways[finding->variant].name),
	      fact_real("factor", stretch->factor), fact_ns("longer", stretch->longer_ns),
	      fact_ns("usual", stretch->usual_ns));
}

/* The part of the kind's samples that waits for own memory; 0 if they are few. */
static double memory_of(const struct clues *clues, kind_id k)
{
	const struct kind_spots *spots = clues->spots;
	uint64_t n = spots && spots->kind_n ? spots->kind_n[k] : 0;

	return n < SURE_SAMPLES ? 0 : (double)spots->memory_n[k] / (double)n;
}

/* By what the medians tell. */
static void find_by_medians(struct ledger *ledger, struct findings *findings,
			    const struct cause *cause, kind_id k)
{
	double off_ns = perhaps_waited(ledger->clues);

	for (unsigned i = 0; i < sizeof(stretches) / sizeof(stretches[0]); i++) {
		const struct kind_clues *seen = &ledger->clues->kind[k];
		double by = stretch_of(seen, stretches[i].usual, stretches[i].longer);
		uint64_t usual = cost_median(seen, stretches[i].usual);
		uint64_t n = cost_n(seen, stretches[i].longer);
		double longer_ns = (by - 1) * (double)usual * (double)n;
		struct finding *finding;

		claim_part(ledger, ledger_row(ledger, ROW_WORK, k),
			   longer_ns - off_ns - ledger_work_taken(ledger, k));
		finding = finding_claim(findings, cause, ledger, k);
		if (!finding)
			continue;
		finding->variant = i;
		if (i == STRETCH_BESIDE && memory_of(ledger->clues, k) > MEMORY_MOST) {
			finding->variant = STRETCH_BESIDE_MEMORY;
			FACTS(finding, fact_share("memory", memory_of(ledger->clues, k)));
		}
		FACTS(finding, fact_string("variant", ways[finding->variant].name),
		      fact_real("factor", by),
		      fact_ns("longer", cost_median(seen, stretches[i].longer)),
		      fact_count("longer_tasks", n), fact_ns("usual", usual),
		      fact_count("usual_tasks", cost_n(seen, stretches[i].usual)));
		break;
	}
}

static void find_stretch(struct ledger *ledger, struct findings *findings,
			 const struct cause *cause)
{
	const struct clues *clues = ledger->clues;

	for (kind_id k = 0; k < clues->dag->n_kinds; k++)
		if (clues->stretch && clues->stretch[k].is_known)
			find_by_baseline(ledger, findings, cause, k);
		else
			find_by_medians(ledger, findings, cause, k);
}

const struct cause cause_stretch = {
	{ "stretch", "work stretched",
	  "Tasks of one kind take longer while others run, or where their data is not: they share "
	  "a cache line, the memory or a core.",
	  "At least 5 tasks of the kind ran beside few others (or on their creator's worker), and "
	  "at least 5 beside nearly all workers (or elsewhere).  The median of the latter is at "
	  "least 1.3 times as long.  All but an eighth of them are longer, and few of the former "
	  "are as long.  With a baseline (record --baseline): the samples of all tasks of the kind "
	  "stand for at least 1.3 times the CPU time of those with one worker, and chance does not "
	  "explain it.  Where most of the difference, or without a baseline most of the CPU time, "
	  "is at loads and stores of memory that no other worker uses, it is the memory.  Lost: "
	  "the difference, less what other findings "
	  "have of it, and less the work that may have waited for a CPU; it is part of the work.",
	  "Give each worker data of its own, 64 bytes apart (false sharing); use what is loaded "
	  "again; keep tasks with their data; fewer workers." },
	.find = find_stretch,
	.ways = ways,
	.is_stretch = true,
};
