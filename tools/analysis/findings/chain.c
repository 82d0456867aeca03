/* SPDX-License-Identifier: MIT */
/* chain.c - tasks that run one after the other, as they depend on each other. */
#include "tools/analysis/findings/cause.h"

#define CHAIN_TASKS 3u
#define CHAIN_EARLY 4u /* it began in the first quarter */

/* It began once a quarter of the time with tasks was over, and not after another chain. */
static bool chain_is_late(const struct clues *clues, const struct part *part)
{
	for (uint32_t i = 0; i < clues->n_parts; i++)
		if (clues->part[i].role == ROLE_CHAIN && clues->part[i].kind != part->kind &&
		    clues->part[i].from_ns < part->from_ns)
			return false;
	return (part->from_ns - clues->rounds->tasks_from_ns) * CHAIN_EARLY >
	       clues->rounds->tasks_to_ns - clues->rounds->tasks_from_ns;
}

static const struct wording ways[] = {
	{ "early", "", "" },
	{ "late", "",
	  "begin it earlier, beside other tasks: create it first, or give it a priority; else " },
};

static void find_chain(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	const struct clues *clues = ledger->clues;

	for (uint32_t i = 0; i < clues->n_parts; i++) {
		struct finding *finding;
		struct part part;

		if (clues->part[i].role != ROLE_CHAIN || !clues->part[i].is_first)
			continue;
		part = part_of_kind(clues, i);
		if (part.n < CHAIN_TASKS || !part_is_idle(clues, &part) ||
		    !part_is_in_a_row(clues, &part))
			continue;
		part_claim(ledger, i);
		claim(ledger, ledger_lag(ledger, part.kind, LAG_DEPEND));
		finding = part_finding(findings, cause, ledger, &part);
		if (!finding)
			continue;
		finding->from_ns = part.from_ns;
		finding->to_ns = part.to_ns;
		finding->variant = chain_is_late(clues, &part);
		FACTS(finding, fact_string("variant", ways[finding->variant].name),
		      fact_count("in_a_row", part.n),
		      fact_count("tasks", clues->facts[part.kind].n_begun),
		      fact_ns("ran", (uint64_t)part.path_ns));
	}
}

const struct cause cause_chain = {
	{ "chain", "dependence chain",
	  "Tasks depend on one another in a row, so that they run one after the other.",
	  "At least 3 tasks follow each other on the ready path by dependences, and nothing is "
	  "ready for the other workers.",
	  "Remove dependences that are none: depend on the element and not on the whole, in "
	  "instead of inout; split the tasks, or shorten the chain; begin it earlier, beside other "
	  "tasks." },
	.find = find_chain,
	.ways = ways,
	.what = "{in_a_row} of {tasks} tasks ran one after the other for {ran}, each because it "
		"depends on the one before; {busy} of {workers} workers were busy meanwhile",
	.advice = "see whether each depend() is needed: name only what the task itself reads and "
		  "writes, in instead of inout for what is only read, an element instead of the "
		  "whole; else smaller tasks, so that the next ones begin sooner (of a wavefront, "
		  "more blocks), or a shorter chain",
};
