/* SPDX-License-Identifier: MIT */
/* yields.c - tasks that yield again and again until something has changed. */
#include "tools/analysis/findings/cause.h"

#define YIELDS_TASK 100u /* of a task */

static bool yields_often(const struct clues *clues, kind_id kind)
{
	return clues->facts[kind].n_begun &&
	       clues->kind[kind].n_yields >= YIELDS_TASK * clues->facts[kind].n_begun;
}

uint64_t yields_sum(const struct clues *clues)
{
	uint64_t sum_ns = 0;

	for (kind_id k = 0; k < clues->dag->n_kinds; k++)
		sum_ns += yields_often(clues, k) ? clues->kind[k].yields_ns : 0;
	return sum_ns;
}

/* Others were ready meanwhile, so that some of the time is theirs: it is what no cause has. */
static void find_yields(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	const struct clues *clues = ledger->clues;

	for (kind_id k = 0; k < clues->dag->n_kinds; k++) {
		const struct kind_clues *seen = &clues->kind[k];
		struct finding *finding;

		if (!yields_often(clues, k))
			continue;
		claim_rest(ledger, (double)seen->yields_ns);
		finding = finding_claim(findings, cause, ledger, k);
		if (finding)
			FACTS(finding, fact_count("tasks", clues->facts[k].n_begun),
			      fact_count("yields", seen->n_yields));
	}
}

static void say_yields(const struct finding *finding, struct sentence *what,
		       struct sentence *advice)
{
	say(what, "{tasks} task{tasks:s} yielded, {yields:times} in all, and each time ");
	say(what, fact_n(finding, "tasks") == 1 ? "its" : "their");
	say(what, " worker ran nothing else and went on: {lost_ns} in the runtime, without the "
		  "code between");
	say(advice,
	    "do not wait for a change in a loop of taskyield, which keeps a worker (libgomp's "
	    "does nothing): let the task depend on the one that makes the change (depend(), "
	    "detach), or create it once that has happened");
}

const struct cause cause_yields = {
	{ "yields", "tasks that yield",
	  "A task waits in a loop of yields until something has changed, and keeps its worker.",
	  "Its tasks yielded at least 100 times each, and their workers ran nothing else before "
	  "they went on.  Lost: the time from these yields until they went on, as far as no other "
	  "cause explains it; what they work between them counts as work.",
	  "Depend on what makes the change (depend(), detach), or create the task once it has "
	  "happened." },
	.find = find_yields,
	.say = say_yields,
};
