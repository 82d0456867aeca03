/* SPDX-License-Identifier: MIT */
/* locking.c - locks that nobody waits for, but that are taken so often that the calls cost much. */
#include "tools/analysis/findings/cause.h"
#include "tools/base/ratio.h"
#include "tools/base/at_most.h"

/* ---- what calls cost that take locks while they are free, or release them ---- */

#define CALLS_LEAST 200u /* fewer are no pattern */
#define CALL_EVENTS 2u	 /* one ends a strand, one begins the next */

uint64_t calls_tracer_ns(const struct clues *clues)
{
	return CALL_EVENTS * clues->between_ps / 1000;
}

uint64_t calls_each_ns(const struct clues *clues, uint64_t n, uint64_t sum_ns)
{
	uint64_t each = n ? sum_ns / n : 0;

	return each - at_most(calls_tracer_ns(clues), each);
}

/* Recording's part of them is no cost of the calls. */
void calls_settle(struct ledger *ledger)
{
	const struct clues *clues = ledger->clues;

	for (uint32_t i = 0; i < clues->dag->n_waits; i++)
		*ledger_row(ledger, ROW_CALL_EVENTS, i) =
			loss_take(ledger_row(ledger, ROW_CALLS, i),
				  (double)clues->wait[i].n_calls * CALL_EVENTS *
					  (double)clues->between_ps / 1000);
}

bool calls_are_worth(const struct ledger *ledger, uint32_t wait)
{
	return ledger->clues->wait[wait].n_calls >= CALLS_LEAST &&
	       is_worth(ledger->clues, ledger_row(ledger, ROW_CALLS, wait));
}

#define LOCKING_OFTEN 200u /* fewer are no pattern */

/* WAITED: of no call that took it free there is an event, as of pthread's.  SEVERAL: locks of which
 * none costs much, but all together do. */
enum { LOCKING_FREE, LOCKING_WAITED, LOCKING_SEVERAL };

static bool locks(const struct dag_wait *wait)
{
	return wait->what == WIRE_WAIT_OBJECT || wait->what == WIRE_WAIT_MUTEX ||
	       wait->what == WIRE_WAIT_RWLOCK || wait->what == WIRE_WAIT_ADDRESS ||
	       wait->what == WIRE_WAIT_WORD;
}

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

/* Of tasks of one kind, at all places that no finding has yet. */
struct several {
	uint32_t n, most; /* places; the one that costs most */
	double most_ns;
	uint64_t n_calls, n_entries, calls_ns;
};

static void claim_several(struct ledger *ledger, kind_id k, struct several *several)
{
	const struct clues *clues = ledger->clues;

	for (uint32_t i = 1; i < clues->dag->n_waits; i++) {
		const struct wait_clues *wait = &clues->wait[i];
		double before = ledger->claim.ns;

		if (wait->kind != k || !locks(&clues->dag->wait[i]))
			continue;
		claim(ledger, ledger_row(ledger, ROW_CALLS, i));
		claim(ledger, ledger_row(ledger, ROW_LOCK, i));
		if (ledger->claim.ns <= before)
			continue;
		several->n++;
		several->n_calls += wait->n_calls;
		several->calls_ns += wait->calls_ns;
		several->n_entries += wait->n_free + wait->n_lock;
		if (ledger->claim.ns - before > several->most_ns) {
			several->most_ns = ledger->claim.ns - before;
			several->most = i;
		}
	}
}

static void find_several(struct ledger *ledger, struct findings *findings,
			 const struct cause *cause, kind_id k)
{
	const struct clues *clues = ledger->clues;
	struct several several = { 0 };
	struct finding *finding;

	claim_several(ledger, k, &several);
	if (several.n < 2 || several.n_entries < LOCKING_OFTEN) {
		claim_drop(ledger);
		return;
	}
	finding = finding_claim(findings, cause, ledger, k);
	if (!finding)
		return;
	finding->site = clues->dag->wait[several.most].site;
	finding->variant = LOCKING_SEVERAL;
	FACTS(finding, fact_string("variant", "several"), fact_count("places", several.n),
	      fact_count("entries", several.n_entries),
	      fact_real("entries_a_task", ratio(several.n_entries, clues->facts[k].n_begun)),
	      fact_kind("task", k),
	      fact_ns("call", calls_each_ns(clues, several.n_calls, several.calls_ns)),
	      fact_ns("recording", calls_tracer_ns(clues)));
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
	for (kind_id k = KIND_OF_ROOTS; k < clues->dag->n_kinds; k++)
		find_several(ledger, findings, cause, k);
}

static void say_several(struct sentence *what, struct sentence *advice)
{
	say(what, "locks at {places} places, of which none alone costs much, were taken {entries} "
		  "times, ");
	say(what, fact_of(what->finding, "entries_a_task")->real < 10 ? "{entries_a_task:1}"
								      : "{entries_a_task:0}");
	say(what, " times a task of {task}; to take or to release one costs {call} (recording adds "
		  "{recording}, which is not counted)");
	say(advice, "gather what a task adds in variables of its own, and merge them at its end "
		    "under one lock (reduction); or one lock for what is changed together");
}

static void say_locking(const struct finding *finding, struct sentence *what,
			struct sentence *advice)
{
	bool waited = finding->variant == LOCKING_WAITED;

	if (finding->variant == LOCKING_SEVERAL) {
		say_several(what, advice);
		return;
	}
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
	  "these calls, without what tptrace took for its events.  Several locks that tasks of "
	  "one kind take, of which none costs so much alone, are one finding together, with the "
	  "waits for them.  If workers wait for the lock, "
	  "too (lock), that finding has these calls.  pthread's locks leave no event while they "
	  "are free, so that this is not seen of them.",
	  "Take it once for several items; an atomic operation; a copy for each task or worker, "
	  "merged once." },
	.find = find_locking,
	.say = say_locking,
};
