/* SPDX-License-Identifier: MIT */
/* waits.c - workers or tasks that wait while there is something to do. */
#include <string.h>

#include "tools/analysis/findings/cause.h"

/* ---- barred at a wait ---- */

#define BARRED_TOOK 10u /* at most one wait in so many ran something else */

static void find_barred(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	for (uint32_t i = 1; i < ledger->clues->dag->n_waits; i++) {
		const struct wait_clues *wait = &ledger->clues->wait[i];
		struct finding *finding;

		if (wait->took_others * BARRED_TOOK > wait->n_barred)
			continue;
		claim(ledger, ledger_row(ledger, ROW_BARRED, i));
		finding = finding_claim(findings, cause, ledger, wait->kind);
		if (!finding)
			continue;
		finding->site = ledger->clues->dag->wait[i].site;
		FACTS(finding, fact_count("waits", wait->n_barred),
		      fact_kind("waiter", wait->kind));
	}
}

static void say_barred(const struct finding *finding, struct sentence *what,
		       struct sentence *advice)
{
	const struct finding_names *names = what->names;
	bool is_starpu = strcmp(names->runtime(names->context, finding->kind), "StarPU") == 0;

	say(advice,
	    is_starpu
		    ? "StarPU runs no tasks in a thread that waits for some: nothing is lost if "
		      "its workers have all CPUs meanwhile (STARPU_NCPU); else a worker more, or "
		      "let this thread do a part of the work before it waits"
		    : "a runtime may run at a wait only the waiting task's own children (libgomp's "
		      "taskwait), or tasks below it (libomp, if tied): one taskgroup around all "
		      "tasks, or depend(), instead of a wait in each; untied tasks (not libgomp); "
		      "or more children, so that the waiting worker has its own");
}

const struct cause cause_barred = {
	{ "barred", "barred at a wait",
	  "A worker waits for tasks that others run, and may not take the tasks that are ready, "
	  "since they are not below the waiting one.",
	  "The worker runs nothing until its wait is over, while more strands are ready that any "
	  "worker may take than other workers are free.",
	  "Untied tasks where the runtime honours them, fewer waits, more children." },
	.what = "{waits:times} a worker that waited here (in {waiter}) took nothing until its own "
		"children had ended elsewhere, although other tasks were ready",
	.find = find_barred,
	.say = say_barred,
};

/* ---- a task that cannot go on since its worker runs another ---- */

static void find_buried(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	for (kind_id k = 0; k < ledger->clues->dag->n_kinds; k++) {
		struct finding *finding;

		claim(ledger, ledger_lag(ledger, k, LAG_BURIED));
		finding = finding_claim(findings, cause, ledger, k);
		if (finding)
			burial_add(finding, &ledger->clues->kind[k].burial);
	}
}

const struct cause cause_buried = {
	{ "buried", "tied or buried parent",
	  "A task may go on, but only on the worker that it began on, and that one runs another "
	  "task on top of it.",
	  "The task was ready, its worker ran another one and took it up again afterwards, and "
	  "free workers had nothing else.",
	  "Untied tasks where the runtime honours them; depend() instead of a wait." },
	.what = "{burials:times} the task could go on, but its worker was in another one; the "
		"longest on w{worker}, which ran {over} from {from} to {to}, while others had "
		"nothing to do",
	.advice = "a tied task goes on only where it began: untied (where the runtime honours it), "
		  "no code behind the wait that others need, or depend() instead of the wait",
	.find = find_buried,
};

/* ---- at barriers ---- */

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
