/* SPDX-License-Identifier: MIT */
/* cpus.c - workers that had no CPU, since there are too many of them, or other programs. */
#include <string.h>

#include "tools/analysis/findings/cause.h"

static const char by_program[] = "affinity that the program or OMP_PROC_BIND set";
static const char by_launcher[] = "the affinity that its launcher set";

/* What leaves fewer CPUs to the process than there are. */
static void note_limit(struct finding *finding, const struct machine *machine)
{
	bool bound = machine_is_bound(machine);
	uint64_t of = bound ? machine->affinity : machine->cores;
	const char *limit =
		machine->quota_milli && (machine->quota_milli + 999) / 1000 == machine->cpus
			? "the cgroup's quota"
		: bound				     ? by_program
		: machine->affinity != machine->cpus ? NULL
		: machine->is_rank		     ? by_launcher
						     : "affinity";

	if (limit && of > machine->cpus)
		FACTS(finding, fact_count("of_cpus", of), fact_string("limit", limit));
}

/* Who had the CPUs that workers waited for; more than one of these: BOTH. */
enum { LOADED_OTHERS, LOADED_BOTH, LOADED_OWN, LOADED_COLLECTOR };
static const char *const loaded_names[] = { "other programs", "both", "own threads", "tptrace" };

static bool note_cpu(struct finding *finding, const struct clues *clues, const char *id,
		     uint64_t cpu_ns)
{
	if ((double)cpu_ns < FINDING_SHARE * (double)charge_sum(&clues->breakdown->total))
		return false;
	FACTS(finding, fact_ns(id, cpu_ns));
	return true;
}

/* Workers no more than CPUs wait no longer than others have these: where the program's own threads
 * or tptrace's collector had them for so long, nothing shows that other programs did. */
static void note_own(struct finding *finding, const struct clues *clues)
{
	uint64_t own_ns = clues->machine_rows->own_ns, collector_ns = clues->collector_ns;
	bool own = note_cpu(finding, clues, "own_cpu", own_ns);
	bool collector = note_cpu(finding, clues, "collector_cpu", collector_ns);

	if (own || collector)
		finding->variant = own_ns + collector_ns < finding->lost_ns || (own && collector)
					   ? LOADED_BOTH
				   : own ? LOADED_OWN
					 : LOADED_COLLECTOR;
	if (own_ns + collector_ns < finding->lost_ns)
		FACTS(finding, fact_count("others", 1));
	FACTS(finding, fact_string("variant", loaded_names[finding->variant]));
}

/* In the middle of tasks, and between them.  NULL if it is not worth a finding. */
static struct finding *find_waits(struct ledger *ledger, struct findings *findings,
				  const struct cause *cause)
{
	const struct clues *clues = ledger->clues;
	struct finding *finding;

	claim(ledger, ledger_row(ledger, ROW_WORK_WAITED, 0));
	claim(ledger, ledger_row(ledger, ROW_WAITED, 0));
	finding = finding_claim(findings, cause, ledger, KIND_OF_ROOTS);
	if (!finding)
		return NULL;
	FACTS(finding, fact_count("cpus", clues->machine->cpus),
	      fact_ns("in_work", finding->in_work_ns),
	      fact_ns("run_work", clues->machine_rows->total.work_ns),
	      fact_ns("cpu_time", clues->machine_rows->total.cpu_ns));
	if (machine_is_oversubscribed(clues->machine, clues->dag)) {
		FACTS(finding, fact_ns("waited_for_cpus", finding->lost_ns));
		note_limit(finding, clues->machine);
	} else {
		note_own(finding, clues);
	}
	return finding;
}

enum { OVER_IN_WORK, OVER_IDLE };
#define CPUS_WANTED .5 /* of their time, CPUs were used or waited for */

/* Of workers that are too many: what they could not do, as far as no cause has it.  `waits` is the
 * finding of what they waited; NULL: there is none. */
static struct finding *find_rest(struct ledger *ledger, struct findings *findings,
				 const struct cause *cause, struct finding *waits)
{
	const struct clues *clues = ledger->clues;
	const struct machine_row *total = &clues->machine_rows->total;
	double cpus = (double)clues->machine->cpus, elapsed = (double)clues->elapsed_ns;
	double most = elapsed * ((double)clues->dag->n_workers - cpus);
	struct finding *finding = waits;

	if (waits) /* a part of it is told there */
		most -= (double)waits->lost_ns;
	if ((double)(total->cpu_ns + total->cpu_wait_ns) < CPUS_WANTED * elapsed * cpus)
		return finding;
	claim_rest(ledger, most);
	if (!waits) {
		finding = finding_claim(findings, cause, ledger, KIND_OF_ROOTS);
		if (!finding)
			return NULL;
		finding->variant = OVER_IDLE;
		FACTS(finding, fact_count("cpus", clues->machine->cpus));
		note_limit(finding, clues->machine);
	} else if (claim_is_worth(ledger)) {
		FACTS(finding, fact_ns("without", (uint64_t)ledger->claim.ns));
		finding_add_claim(finding, ledger);
	}
	claim_drop(ledger);
	return finding;
}

/* Members of regions that open regions make teams of teams. */
static void note_nested(struct finding *finding, const struct clues *clues)
{
	kind_id most = KIND_OF_ROOTS;

	for (kind_id k = 0; k < clues->dag->n_kinds; k++)
		if (clues->kind[k].n_nested > clues->kind[most].n_nested)
			most = k;
	if (clues->kind[most].n_nested)
		FACTS(finding, fact_count("regions", clues->kind[most].n_nested),
		      fact_kind("member", most));
}

static void find_oversubscribed(struct ledger *ledger, struct findings *findings,
				const struct cause *cause)
{
	struct finding *finding;

	if (!machine_is_oversubscribed(ledger->clues->machine, ledger->clues->dag))
		return;
	finding = find_rest(ledger, findings, cause, find_waits(ledger, findings, cause));
	if (finding)
		note_nested(finding, ledger->clues);
}

static void find_loaded(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	if (ledger->clues->machine_rows->total.has_wait &&
	    !machine_is_oversubscribed(ledger->clues->machine, ledger->clues->dag))
		find_waits(ledger, findings, cause);
}

static void say_over(const struct finding *finding, struct sentence *what, struct sentence *advice)
{
	const struct fact *limit = fact_of(finding, "limit");

	say(what, "{workers} workers share {cpus} CPU{cpus:s}");
	if (limit)
		say(what, " of {of_cpus}, by {limit}");
	if (limit && strcmp(limit->text, by_program) == 0)
		say(advice, "bind no thread (sched_setaffinity(), OMP_PROC_BIND, OMP_PLACES), or "
			    "to more CPUs; or ");
	if (limit && strcmp(limit->text, by_launcher) == 0)
		say(advice, "give each rank {workers} CPUs (Open MPI: --map-by slot:PE={workers}, "
			    "or --bind-to none; MPICH: -bind-to none; Slurm: -c {workers}); or ");
	say(what,
	    finding->variant == OVER_IDLE
		    ? ": for {lost_ns} those without one had nothing to do, or waited in the "
		      "runtime, and no other cause explains that"
		    : ": they waited {waited_for_cpus} for one, {in_work} of it in the middle of "
		      "tasks, and had {cpu_time} of CPU time");
	if (fact_of(finding, "without"))
		say(what, "; for {without} those without one had nothing to do, or waited in the "
			  "runtime");
	if (fact_of(finding, "regions"))
		say(what, "\n{regions:times} a member of a region opened another one ({member})");
	say(advice, "start {cpus} worker{cpus:s} ({setting}");
	if (strcmp(setting_of(what->names->runtime(what->names->context, finding->kind)),
		   "OMP_NUM_THREADS") == 0)
		say(advice, "; of nested regions, OMP_MAX_ACTIVE_LEVELS=1 or fewer threads in "
			    "each");
	say(advice, "), or give the process more CPUs (affinity, cgroup quota); other figures of "
		    "this run say little");
}

const struct cause cause_oversubscribed = {
	{ "oversubscribed", "more workers than CPUs",
	  "The runtime has more workers than the process may use CPUs.  So workers wait for one in "
	  "the middle of a task, or have none when there is something to do.",
	  "P is larger than the CPUs that affinity and cgroup quota leave to the process. "
	  "Samples of CPU time show that workers waited for one.  Lost: of the work, the "
	  "least that the samples prove; beside it, what workers lost while they waited "
	  "for a CPU themselves, or for the ready path's worker, which did.  Where the "
	  "CPUs were used, or waited for, for most of the time, also what no other cause "
	  "explains, at most elapsed for each worker that is too many.",
	  "As many workers as CPUs, or more CPUs for the process." },
	.of_machine = true,
	.gains_nothing = true,
	.find = find_oversubscribed,
	.say = say_over,
};

static void say_loaded(const struct finding *finding, struct sentence *what,
		       struct sentence *advice)
{
	bool own = fact_of(finding, "own_cpu"), collector = fact_of(finding, "collector_cpu");
	bool others = fact_of(finding, "others") || (!own && !collector);

	if (own)
		say(what, "threads of the program that are no workers had {own_cpu} of CPU time");
	if (collector)
		say(what, own ? ", tptrace's collector had {collector_cpu}"
			      : "tptrace's collector had {collector_cpu} of CPU time");
	if (others)
		say(what, own || collector ? ", and other programs had the CPUs, too"
					   : "other programs had the CPUs");
	say(what, ": workers waited {lost_ns} for one, beside what other causes have of that");
	if (finding->in_work_ns)
		say(what, "\n{in_work} of it in the middle of tasks, which took so much longer");
	if (others)
		say(advice, own ? "record it on a quiet machine, and "
				: "record it on a quiet machine, or on CPUs of its own");
	if (own)
		say(advice, "leave CPUs to these threads, by fewer workers ({setting}), or let "
			    "tasks do what they do");
	if (collector && !own)
		say(advice, others ? ", and one for the collector"
				   : "leave the collector a CPU, or make fewer events: larger "
				     "tasks, locks taken less often");
}

const struct cause cause_loaded = {
	{ "loaded", "loaded machine",
	  "Other programs use the CPUs, or threads of the program that are no workers, or "
	  "tptrace's collector.  Workers wait for one, in the middle of a task or between two.",
	  "P is no larger than the CPUs of the process, and samples say that workers "
	  "waited for a CPU.  Lost: of the work, the least that the samples prove; beside "
	  "it, what workers lost while they waited for a CPU themselves, or for the ready "
	  "path's worker, which did.  No other finding has any of that.  "
	  "What the whole process had of CPU time, more than its workers, its other threads had; "
	  "what tptrace's collector had is known, too.  Other programs are named only where "
	  "workers waited longer than both.",
	  "Run on a quiet machine, or on CPUs of its own; leave CPUs to the threads that are no "
	  "workers." },
	.of_machine = true,
	.is_last = true,
	.find = find_loaded,
	.say = say_loaded,
};
