/* SPDX-License-Identifier: MIT */
/* cutoff.c - tasks that the program asked to be run at once, by if() or final(), beside idle
 * workers. */
#include "tools/analysis/findings/cause.h"
#include "tools/base/at_most.h"

#define INVERTED_TASKS 10u /* that ran at once */
#define INVERTED_LONGER 4u /* than the others, in the mean */

enum { CUTOFF_EARLY, CUTOFF_INVERTED };

static bool calls_most(const struct kind_facts *facts)
{
	return facts->n_called && 2 * facts->n_called > facts->n_begun;
}

static uint64_t mean(uint64_t sum, uint64_t n)
{
	return n ? sum / n : 0;
}

/* Of tasks that did not run at once; where some are collapsed, those among them that did count,
 * too. */
static uint64_t mean_of_others(const struct clues *clues, kind_id kind)
{
	const struct kind_facts *facts = &clues->facts[kind];
	uint64_t work = clues->breakdown->kind[kind].work_ns;

	return mean(work - at_most(facts->called_ns, work), facts->n_begun - facts->n_called);
}

/* Whether the condition is the wrong way round: short tasks are for others to take, long ones not.
 */
static bool is_inverted(const struct clues *clues, kind_id kind)
{
	const struct kind_facts *facts = &clues->facts[kind];

	return facts->n_called >= INVERTED_TASKS && !calls_most(facts) &&
	       mean(facts->called_ns, facts->n_called) >
		       INVERTED_LONGER * mean_of_others(clues, kind);
}

static bool cutoff_calls(const struct clues *clues, kind_id kind)
{
	return calls_most(&clues->facts[kind]) || is_inverted(clues, kind);
}

/* Gathers what others lost while the ready path ran the kind's tasks, or what they do between
 * others. */
static struct part claim_parts(struct ledger *ledger, kind_id kind)
{
	struct part sum = { 0 };

	for (uint32_t i = 0; i < ledger->clues->n_parts; i++) {
		const struct part *part = &ledger->clues->part[i];

		if ((part->role != ROLE_LEAF && part->role != ROLE_SERIAL) || part->kind != kind)
			continue;
		claim(ledger, ledger_row(ledger, ROW_PART, i));
		sum.path_ns += part->path_ns;
		sum.busy_ns += part->busy_ns;
	}
	return sum;
}

static const struct wording ways[] = {
	[CUTOFF_INVERTED] = { "inverted",
			      " and these are the long ones: they work for {called_mean} each "
			      "(mean), the others for {others_mean}; for {ran} tasks of this kind "
			      "ran with {busy} of {workers} workers busy, and nothing was ready",
			      "turn the condition of if() or final() round: long tasks are for "
			      "others to take, "
			      "short ones run at once; {best} at best on {workers} workers" },
	[CUTOFF_EARLY] = { "early",
			   " so others could take {left}; for {ran} they ran with {busy} of "
			   "{workers} workers busy, and nothing was ready",
			   "cut off later (see the condition of if() or final()): at least "
			   "{wanted} tasks that others can take, ten a worker; {best} at best on "
			   "{workers} workers if work is spread evenly" },
};

static void add_facts(const struct clues *clues, const struct part *sum, struct finding *finding)
{
	const struct kind_facts *facts = &clues->facts[finding->kind];
	uint64_t best_ns = clues->breakdown->total.work_ns / finding->n_workers;

	FACTS(finding, fact_string("variant", ways[finding->variant].name),
	      fact_count("called", facts->n_called), fact_count("tasks", facts->n_begun),
	      fact_count("left", facts->n_begun - facts->n_called),
	      fact_ns("called_mean", mean(facts->called_ns, facts->n_called)),
	      fact_ns("others_mean", mean_of_others(clues, finding->kind)),
	      fact_ns("ran", (uint64_t)sum->path_ns), fact_real("busy", part_busy(sum)),
	      fact_count("wanted", 10 * finding->n_workers), fact_ns("best", best_ns));
}

static void find_cutoff(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	const struct clues *clues = ledger->clues;

	for (kind_id k = 0; k < clues->dag->n_kinds; k++) {
		struct finding *finding;
		struct part sum;

		if (!cutoff_calls(clues, k))
			continue;
		sum = claim_parts(ledger, k);
		finding = finding_claim(findings, cause, ledger, k);
		if (!finding)
			continue;
		finding->variant = is_inverted(clues, k) ? CUTOFF_INVERTED : CUTOFF_EARLY;
		add_facts(clues, &sum, finding);
	}
}

const struct cause cause_cutoff = {
	{ "cutoff", "cut off too early",
	  "The program asks that most tasks, or the long ones, run at once in the task that "
	  "creates them (if(), final()), and leaves too few that other workers can take.",
	  "More than half of the kind's tasks ran at once because the program asked for it.  Or at "
	  "least 10 did, which work more than 4 times as long as the others in the mean.  Lost: "
	  "what other workers could have done while the ready path ran tasks of the kind, and "
	  "nothing was ready.",
	  "Cut off later: create tasks that others can take down to a smaller size, at least ten "
	  "for each worker.  Where the long ones run at once, turn the condition round." },
	.find = find_cutoff,
	.ways = ways,
	.what = "{called} of {tasks} task{tasks:s} ran at once in the task that creates them, "
		"since the program asked for it (if() or final()),",
};
