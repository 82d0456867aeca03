/* SPDX-License-Identifier: MIT */
/* barriers.c - barriers with little work between them. */
#include "tools/analysis/findings/cause.h"

#define BARRIER_EVENTS 2u /* of a member: it waits, and goes on */

/* What a member of that kind works between two barriers, whichever they are. */
static uint64_t work_between(const struct clues *clues, kind_id member)
{
	uint64_t n = 0;

	for (uint32_t i = 1; i < clues->dag->n_waits; i++)
		if (clues->wait[i].member == member)
			n += clues->wait[i].n_met;
	return n ? clues->breakdown->kind[member].work_ns / n : 0;
}

static void find_barriers(struct ledger *ledger, struct findings *findings,
			  const struct cause *cause)
{
	const struct clues *clues = ledger->clues;
	uint64_t tracer_ns = BARRIER_EVENTS * clues->between_ps / 1000;

	for (uint32_t i = 1; i < clues->dag->n_waits; i++) {
		const struct wait_clues *wait = &clues->wait[i];
		struct loss *met = ledger_row(ledger, ROW_MET, i);
		double events_ns = (double)tracer_ns * (double)wait->n_met;
		struct finding *finding;
		uint64_t cost, work;

		if (!wait->n_met)
			continue;
		cost = met->ns > events_ns ? (uint64_t)(met->ns - events_ns) / wait->n_met : 0;
		work = work_between(clues, wait->member);
		if (grain_costs_too_much(wait->n_met, work, cost))
			claim_part(ledger, met, met->ns - events_ns);
		finding = finding_claim(findings, cause, ledger, wait->member);
		if (!finding)
			continue;
		finding->site = clues->dag->wait[i].site;
		FACTS(finding, fact_count("meetings", wait->n_met),
		      fact_kind("member", wait->member), fact_ns("work_between", work),
		      fact_ns("cost", cost), fact_ns("recording", tracer_ns));
		grain_aim(finding, cost, work);
	}
}

const struct cause cause_barrier = {
	{ "barrier", "barriers too often",
	  "The members of a team meet so often that to go on after a barrier takes a large part of "
	  "the time.",
	  "Members went on from the barrier at least 100 times, and work at most 200 us between "
	  "two barriers.  To go on once the last one had come took each more than a tenth of that "
	  "(mean), without what tptrace took for its events.  Lost: that time of all members.",
	  "Fewer barriers: one loop for several, nowait, a loop further out in parallel; more work "
	  "in each." },
	.find = find_barriers,
	.what = "{meetings:times} a member of the team ({member}) met the others here: it works "
		"for {work_between} between two barriers (mean), and each takes {cost} from when "
		"the last "
		"one comes until it goes on (recording adds {recording}, which is not counted)",
	.advice = "put {more} times as much work between two barriers, about {aim} for each "
		  "member: one loop for several, nowait where the next loop does not need this "
		  "one's results, or a loop further out in parallel; the cost is then at most 5 % "
		  "of the work",
};
