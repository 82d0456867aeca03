/* SPDX-License-Identifier: MIT */
/* waits.c - workers or tasks that wait, or yield, while there is something to do. */
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

/* Tasks of a kind that their worker kept from going on: creators, or tasks that had waited. */
static void find_burials(struct ledger *ledger, struct findings *findings,
			 const struct cause *cause)
{
	enum lag lag = cause == &cause_away ? LAG_AWAY : LAG_BURIED;

	for (kind_id k = 0; k < ledger->clues->dag->n_kinds; k++) {
		const struct burial *burial = &ledger->clues->kind[k].burial;
		struct finding *finding;

		claim(ledger, ledger_lag(ledger, k, lag));
		finding = finding_claim(findings, cause, ledger, k);
		if (!finding)
			continue;
		finding->worker = burial->worker;
		finding->from_ns = burial->from_ns;
		finding->to_ns = burial->to_ns;
		finding->when = burial->when;
		FACTS(finding, fact_count("burials", burial->n),
		      fact_count("worker", burial->worker), fact_kind("over", burial->over),
		      fact_ns("from", burial->from_ns), fact_ns("to", burial->to_ns));
	}
}

const struct cause cause_away = {
	{ "away", "producer away",
	  "The task that creates the others runs one of them itself, since a queue is full, and "
	  "until that ends no task is created: the others run dry.",
	  "The creator could go on, its worker ran a task that it had created, and free workers "
	  "had nothing else.  Tasks that the program asked to be run at once (if(0), final) do not "
	  "count.",
	  "A second producer (taskloop, recursive splitting); long tasks in a loop of their own; "
	  "larger tasks, so that the queue does not fill." },
	.what = "the creating task (on w{worker}) ran a task of its own, {over}, from {from} to "
		"{to}, inside the call that creates; others ran dry meanwhile. A runtime does so "
		"when its queue is full (libgomp: 64 tasks a thread, libomp: 256)",
	.advice = "a second producer (taskloop, recursive splitting); the long tasks in a loop of "
		  "their own, first; fewer and larger tasks, so that the queue does not fill",
	.find = find_burials,
};

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
	.find = find_burials,
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

/* ---- tasks that yield again and again ---- */

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
