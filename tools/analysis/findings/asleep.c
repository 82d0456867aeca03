/* SPDX-License-Identifier: MIT */
/* asleep.c - tasks that sleep, and keep a worker from others meanwhile. */
#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"

#include "tools/analysis/findings/cause.h"

/* Of the part of its work that the kind slept which slept most: between samples, tasks of others
 * seem to sleep, too. */
#define ASLEEP_SURE .5
#define ASLEEP_WAITED .25 /* of the time that they slept, others had nothing to do */
#define ASLEEP_SHARE .05  /* of all work: page faults are less */

/*
 * Work in which workers neither had a CPU nor waited for one, for certain: sample by sample; or of
 * the whole run, whose sums are exact, what is more than all time without work.  These sums also
 * bound it: short samples seem to prove more.
 */
static double slept_least(const struct clues *clues)
{
	const struct machine_row *total = &clues->machine_rows->total;
	const struct charge *all = &clues->breakdown->total;
	double lag = (double)clues->machine->lag_ns * clues->machine->n_lanes;
	double away = (double)total->away_ns;
	double proven = away - lag - (double)(charge_sum(all) - all->work_ns);
	double sampled = (double)total->off_least_ns - (double)total->wait_most_ns;

	if (!total->has_wait)
		return 0;
	sampled = sampled > proven ? sampled : proven;
	return sampled < away + lag ? sampled : away + lag;
}

/* How long a strand seems to have slept: samples may be further apart than its ends. */
static double strand_slept(const struct clues *clues, strand_id s)
{
	uint64_t from = dag_start(clues->dag, s), end = dag_end(clues->dag, s);
	struct machine_use use =
		machine_use(clues->machine, clues->dag->strand[s].worker, from, end);

	if (!use.has_wait || use.away_ns == 0)
		return 0;
	return (double)use.away_ns * (double)select_within(clues->select, from, end) /
	       (double)use.ns;
}

/* By kind; their sum. */
static double share_out(const struct clues *clues, double **slept)
{
	const struct dag *dag = clues->dag;
	double sum = 0;

	*slept = xcalloc(dag->n_kinds + 1ull, sizeof(**slept));
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (!dag_is_node(dag, s)) {
			double ns = strand_slept(clues, s);

			(*slept)[dag_kind(dag, s)] += ns;
			sum += ns;
		}
	return sum;
}

/* Which part of its work a kind seems to have slept. */
static double part_slept(const struct clues *clues, const double *slept, kind_id k)
{
	uint64_t work_ns = clues->breakdown->kind[k].work_ns;

	return work_ns ? slept[k] / (double)work_ns : 0;
}

/* The most of any kind. */
static double most_slept(const struct clues *clues, const double *slept)
{
	double most = 0;

	for (kind_id k = KIND_OF_ROOTS + 1; k < clues->dag->n_kinds; k++)
		if (part_slept(clues, slept, k) > most)
			most = part_slept(clues, slept, k);
	return most;
}

/* Whether others had nothing to do for much of the time, since they waited for those tasks. */
static bool is_waited_for(const struct clues *clues, kind_id k, double slept_ns)
{
	double lost = 0;

	for (uint32_t i = 0; i < clues->n_parts; i++)
		lost += clues->part[i].kind == k ? clues->part[i].loss.ns : 0;
	return lost >= ASLEEP_WAITED * slept_ns * (clues->dag->n_workers - 1);
}

enum { ASLEEP_ALONE, ASLEEP_TIMED, ASLEEP_WAITED_FOR, ASLEEP_LOCKED, ASLEEP_PERHAPS_LOCKED };
#define ASLEEP_UNDER .5 /* of the work: so they sleep there, too */

static const struct wording ways[] = {
	[ASLEEP_ALONE] = { "alone", "",
			   "more workers than CPUs, as long as most of them sleep ({setting}); "
			   "else calls that do not wait, larger pieces at a time, or a thread for "
			   "them that is no worker; of a lock in a library, fewer calls of it, or "
			   "memory and buffers of each worker's own" },
	[ASLEEP_TIMED] = { "timed", "",
			   "if it waits there for something, let the runtime begin it when that is "
			   "there (depend(), taskwait, a continuation): to sleep and look again "
			   "takes longer, and keeps a worker; else more workers than CPUs, as long "
			   "as most of them sleep ({setting})" },
	[ASLEEP_WAITED_FOR] = { "waited for", "",
				"begin these tasks earlier, beside others, and let nothing wait "
				"for them that does not need them; more workers do not help while "
				"all wait; else calls that do not wait, or larger pieces at a "
				"time" },
	[ASLEEP_LOCKED] = { "under a lock", "",
			    "first that lock: sleep while it is not held, as more workers would "
			    "only wait for it; gather what is to be read or written, and do that "
			    "in larger pieces" },
	[ASLEEP_PERHAPS_LOCKED] = { "perhaps under a lock", "",
				    "if they do so while they hold that lock, sleep while it is "
				    "not held: more workers would only wait for it; else more "
				    "workers than CPUs ({setting}), calls that do not wait, larger "
				    "pieces at a time, or a thread for them that is no worker" },
};

#define ASLEEP_MOST .5 /* of the samples in which they slept: that is where */

static const struct kind_sleep *sleep_of(const struct clues *clues, kind_id k)
{
	const struct kind_spots *spots = clues->spots;

	for (uint32_t i = 0; spots && i < spots->n_sleeps; i++)
		if (spots->sleep[i].kind == k &&
		    (double)spots->sleep[i].most_ns >= ASLEEP_MOST * (double)spots->sleep[i].ns)
			return &spots->sleep[i];
	return NULL;
}

static void note_where(struct finding *finding, const struct kind_sleep *sleep)
{
	FACTS(finding, fact_share("there", (double)sleep->most_ns / (double)sleep->ns),
	      fact_string("function", sleep->function));
	if (sleep->place[0])
		FACTS(finding, fact_string(sleep->is_own ? "at" : "caller", sleep->place));
}

static void note_how(const struct clues *clues, struct finding *finding, double slept_ns)
{
	double share;
	const struct lock *lock = lock_that_decides(clues, finding->kind, &share);
	const struct kind_sleep *sleep = sleep_of(clues, finding->kind);

	if (lock && share >= ASLEEP_UNDER)
		finding->variant = ASLEEP_LOCKED;
	else if (lock && !lock->held_known)
		finding->variant = ASLEEP_PERHAPS_LOCKED;
	else if (is_waited_for(clues, finding->kind, slept_ns))
		finding->variant = ASLEEP_WAITED_FOR;
	else if (sleep && sleep->is_timed)
		finding->variant = ASLEEP_TIMED;
	FACTS(finding, fact_string("variant", ways[finding->variant].name),
	      fact_count("tasks", clues->facts[finding->kind].n_begun),
	      fact_ns("kind_work", clues->breakdown->kind[finding->kind].work_ns));
	if (finding->variant >= ASLEEP_LOCKED)
		FACTS(finding, fact_share("under_lock", share), fact_lock("lock", lock));
	if (sleep)
		note_where(finding, sleep);
}

/* Roots are left out: what the program does between tasks is a serial stretch. */
void asleep_settle(struct ledger *ledger)
{
	const struct clues *clues = ledger->clues;
	double least = slept_least(clues), *slept, sum, sure;

	if (least < ASLEEP_SHARE * (double)clues->machine_rows->total.work_ns || least <= 0 ||
	    machine_is_oversubscribed(clues->machine, clues->dag))
		return;
	sum = share_out(clues, &slept);
	sure = sum > 0 ? ASLEEP_SURE * most_slept(clues, slept) : 0;
	for (kind_id k = KIND_OF_ROOTS + 1; sum > 0 && k < clues->dag->n_kinds; k++)
		if (part_slept(clues, slept, k) >= sure)
			*ledger_row(ledger, ROW_WORK_SLEPT, k) =
				loss_take(ledger_row(ledger, ROW_WORK, k), least * slept[k] / sum);
	free(slept);
}

static void find_asleep(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	for (kind_id k = KIND_OF_ROOTS + 1; k < ledger->clues->dag->n_kinds; k++) {
		struct finding *finding;

		claim(ledger, ledger_row(ledger, ROW_WORK_SLEPT, k));
		finding = finding_claim(findings, cause, ledger, k);
		if (finding)
			note_how(ledger->clues, finding, (double)finding->lost_ns);
	}
}

static void say_asleep(const struct finding *finding, struct sentence *what,
		       struct sentence *advice)
{
	const struct fact *lock = fact_of(finding, "lock");
	bool one = fact_n(finding, "tasks") == 1;

	say(what, "{tasks} task{tasks:s} slept for {lost_ns} of {kind_work} that ");
	say(what, one ? "it seems" : "they seem");
	say(what, " to work");
	say(what, fact_of(finding, "at")       ? ", {there:0} of it at {at}"
		  : fact_of(finding, "caller") ? ", {there:0} of it in {function}, called from "
						 "{caller}"
		  : fact_of(finding, "there")  ? ", {there:0} of it in {function}"
					       : ": for input or output, a lock inside a library "
						 "or the kernel (malloc, page faults), or in a "
						 "call that tptrace does not know");
	say(what, ", and kept a worker");
	say(what, one ? "" : " each");
	if (lock)
		say(what, lock->lock->held_known
				  ? "\n{under_lock} of their work is under {lock}"
				  : "\nat least {under_lock} of their work is under {lock}");
	else if (finding->variant == ASLEEP_WAITED_FOR)
		say(what, one ? "; others waited for it, with nothing to do"
			      : "; others waited for these tasks, with nothing to do");
	(void)advice;
}

const struct cause cause_asleep = {
	{ "asleep", "tasks that sleep",
	  "Tasks wait for input or output, a timer, another process or a lock inside a library, "
	  "and their workers can run no other tasks meanwhile.",
	  "P is no larger than the CPUs of the process.  Samples show that for at least a "
	  "twentieth of the work workers neither had a CPU nor waited for one.  Lost: the part of "
	  "that in tasks, the least that the samples prove; it is part of the work.  A kind that "
	  "seems to sleep for less than half of what another one does, of its work each, is left "
	  "out.  Stack samples name the call in which they sleep for half of that time or more.",
	  "More workers than CPUs; calls that do not wait; a thread for them that is no worker.  "
	  "Where the others wait for these tasks: begin them earlier, beside others.  Where they "
	  "hold a lock meanwhile: sleep while it is not held." },
	.find = find_asleep,
	.ways = ways,
	.say = say_asleep,
};
