/* SPDX-License-Identifier: MIT */
/* cpus.c - workers that had no CPU, since there are too many of them, or other programs. */
#include "tools/analysis/findings/cause.h"

/* In the middle of tasks, and between them. */
static void find_waits(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	const struct clues *clues = ledger->clues;
	const struct loss *waited = ledger_row(ledger, ROW_WAITED, 0);
	struct finding *finding;

	claim(ledger, ledger_row(ledger, ROW_WORK_WAITED, 0));
	/* of collapsed tasks the clues are expected values, which may be more than was lost */
	claim_part(ledger, waited, rest_most(findings, waited->ns).ns);
	finding = finding_claim(findings, cause, ledger, KIND_OF_ROOTS);
	if (finding)
		FACTS(finding, fact_count("cpus", clues->machine->cpus),
		      fact_ns("in_work", finding->in_work_ns),
		      fact_ns("run_work", clues->machine_rows->total.work_ns),
		      fact_ns("cpu_time", clues->machine_rows->total.cpu_ns));
}

enum { OVER_IN_WORK, OVER_IDLE };
#define CPUS_WANTED .5 /* of their time, CPUs were used or waited for */

/* Of workers that are too many: what they could not do, as far as no cause has it. */
static void find_rest(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	const struct clues *clues = ledger->clues;
	const struct machine_row *total = &clues->machine_rows->total;
	double cpus = (double)clues->machine->cpus, elapsed = (double)clues->elapsed_ns;
	double most = elapsed * ((double)clues->dag->n_workers - cpus);
	struct loss loss = rest_most(findings, most);
	struct finding *finding;

	if ((double)(total->cpu_ns + total->cpu_wait_ns) < CPUS_WANTED * elapsed * cpus)
		return;
	finding = finding_add(findings, cause, ledger, &loss, KIND_OF_ROOTS);
	if (!finding)
		return;
	finding->variant = OVER_IDLE;
	FACTS(finding, fact_count("cpus", clues->machine->cpus));
}

static void find_oversubscribed(struct ledger *ledger, struct findings *findings,
				const struct cause *cause)
{
	if (!machine_is_oversubscribed(ledger->clues->machine, ledger->clues->dag))
		return;
	find_waits(ledger, findings, cause);
	find_rest(ledger, findings, cause);
}

static void find_loaded(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	if (ledger->clues->machine_rows->total.has_wait &&
	    !machine_is_oversubscribed(ledger->clues->machine, ledger->clues->dag))
		find_waits(ledger, findings, cause);
}

static const struct wording over[] = {
	[OVER_IN_WORK] = { "in work",
			   ", and for {lost_ns} they had none: for {in_work} of the "
			   "{run_work} that they seem to work, and beside it; they had "
			   "{cpu_time} of CPU time",
			   NULL },
	[OVER_IDLE] = { "idle",
			", and no more than so many of them run at once: for {lost_ns} the "
			"others had nothing to do, or waited in the runtime, and no other "
			"cause explains that",
			NULL },
};

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
	.advice = "start {cpus} worker{cpus:s} (OMP_NUM_THREADS, max_allowed_parallelism, ..; of "
		  "nested regions, OMP_MAX_ACTIVE_LEVELS=1 or fewer threads in each), or give the "
		  "process more CPUs (affinity, cgroup quota); other figures of this run say "
		  "little",
	.gains_nothing = true,
	.find = find_oversubscribed,
	.ways = over,
	.what = "{workers} workers share {cpus} CPU{cpus:s}",
};

const struct cause cause_loaded = {
	{ "loaded", "loaded machine",
	  "Other programs use the CPUs, and workers wait for one, in the middle of a task or "
	  "between two.",
	  "P is no larger than the CPUs of the process, and samples say that workers "
	  "waited for a CPU.  Lost: of the work, the least that the samples prove; beside "
	  "it, what workers lost while they waited for a CPU themselves, or for the ready "
	  "path's worker, which did.  No other finding has any of that.",
	  "Run on a quiet machine, or on CPUs of its own." },
	.what = "other programs used the CPUs: workers waited for one for {lost_ns}, {in_work} of "
		"it in what they seem to work",
	.advice = "run it on a quiet machine, or on CPUs of its own; other figures of this run say "
		  "less",
	.find = find_loaded,
};
