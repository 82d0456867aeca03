/* SPDX-License-Identifier: MIT */
/* locking.c - locks that nobody waits for, but that are taken so often that the calls cost much. */
#include "tools/analysis/findings/cause.h"
#include "tools/base/ratio.h"

/* WAITED: of no call that took it free there is an event, as of pthread's. */
enum { LOCKING_FREE, LOCKING_WAITED };

static void add_facts(const struct clues *clues, const struct wait_clues *wait,
		      struct finding *finding)
{
	uint64_t n = wait->n_free + wait->n_lock, n_tasks = clues->facts[wait->kind].n_begun;
	uint64_t work_ns = clues->breakdown->kind[wait->kind].work_ns;

	FACTS(finding, fact_string("variant", wait->n_free ? "free" : "waited for"),
	      fact_count("entries", n), fact_real("entries_a_task", ratio(n, n_tasks)),
	      fact_kind("task", wait->kind), fact_share("free", ratio(wait->n_free, n)),
	      fact_ns("call", calls_each_ns(clues, wait->n_calls, wait->calls_ns)),
	      fact_ns("recording", calls_tracer_ns(clues)),
	      fact_ns("work_between", n ? work_ns / n : 0));
}

static void find_locking(struct ledger *ledger, struct findings *findings,
			 const struct cause *cause)
{
	const struct clues *clues = ledger->clues;

	for (uint32_t i = 1; i < clues->dag->n_waits; i++) {
		const struct wait_clues *wait = &clues->wait[i];
		struct finding *finding;

		if (!calls_are_worth(ledger, i))
			continue;
		claim(ledger, ledger_row(ledger, ROW_CALLS, i));
		finding = finding_claim(findings, cause, ledger, wait->kind);
		if (!finding)
			continue;
		finding->site = clues->dag->wait[i].site;
		finding->variant = wait->n_free ? LOCKING_FREE : LOCKING_WAITED;
		add_facts(clues, wait, finding);
	}
}

static void say_locking(const struct finding *finding, struct sentence *what,
			struct sentence *advice)
{
	bool waited = finding->variant == LOCKING_WAITED;

	say(what, waited ? "others had it {entries} times, " : "taken {entries} times, ");
	say(what, fact_of(finding, "entries_a_task")->real < 10 ? "{entries_a_task:1}"
								: "{entries_a_task:0}");
	say(what, " times a task of {task}");
	if (!waited) {
		say(what, ", and free in ");
		say(what, fact_of(finding, "free")->real < .995 ? "{free:1}" : "{free:0}");
		say(what, " of them");
	}
	say(what, waited ? "; to release it" : "; to take or to release it");
	say(what, " costs {call} (recording adds {recording}, which is not counted), and tasks "
		  "work for {work_between} from one ");
	say(what, waited ? "wait to the next" : "time to the next");
	say(advice, "take it once for several items, use an atomic operation, or gather in a copy "
		    "of the task's own and merge that once");
	if (!waited)
		say(advice, "; no lock at all where no other task comes to the data");
}

const struct cause cause_locking = {
	{ "locking", "lock taken often",
	  "Tasks take a lock so often that the calls cost much, although it is free.",
	  "At least 200 calls at one place that took a lock of the runtime (critical, "
	  "omp_set_lock, a full/empty word) while it was free, or released it.  Lost: the time in "
	  "these calls, without what tptrace took for its events.  If workers wait for the lock, "
	  "too (lock), that finding has these calls.  pthread's locks leave no event while they "
	  "are free, so that this is not seen of them.",
	  "Take it once for several items; an atomic operation; a copy for each task or worker, "
	  "merged once." },
	.find = find_locking,
	.say = say_locking,
};
