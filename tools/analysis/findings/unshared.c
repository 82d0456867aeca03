/* SPDX-License-Identifier: MIT */
/* unshared.c - tasks that are ready, and that one worker alone takes. */
#include <string.h>

#include "tools/analysis/findings/cause.h"
#include "tools/base/at_most.h"

#define UNSHARED_TASKS 4u
#define UNSHARED_OWN 2
#define UNSHARED_PARTS 16u /* at most one in so many ran elsewhere */
#define UNSHARED_YIELDS 2  /* the loss is more than so many times what yields kept workers for */

/* Whether most of the kind's tasks are collapsed. */
static bool is_collapsed(const struct clues *clues, kind_id kind)
{
	const struct kind_collapsed *collapsed = clues->dag->kind_collapsed[kind];

	return collapsed && 2 * collapsed->n_tasks > clues->facts[kind].n_begun;
}

/* Gathers what tasks of the kind lost while they were ready to begin. */
static void claim_ready(struct ledger *ledger, kind_id kind)
{
	claim(ledger, ledger_lag(ledger, kind, LAG_BEGIN));
	claim(ledger, ledger_lag(ledger, kind, LAG_HELD));
	if (is_collapsed(ledger->clues, kind))
		claim(ledger, ledger_row(ledger, ROW_COLLAPSED, kind));
}

/* Whether most of it is time of other workers, and not of the one that comes for them late, which
 * ran so long of all. */
static bool is_of_others(uint64_t ran_ns, uint64_t all_ns, const struct loss *loss)
{
	return loss->ns > UNSHARED_OWN * (double)(all_ns - at_most(ran_ns, all_ns));
}

enum { UNSHARED_ONE, UNSHARED_EACH, UNSHARED_NO_CPU };

/* Whether one worker ran nearly all of the kind's tasks. */
static bool is_one_workers(const struct clues *clues, const struct majority *ran,
			   const struct loss *loss)
{
	return ran->n >= UNSHARED_TASKS &&
	       is_of_others(clues->ran_ns[ran->worker], clues->elapsed_ns, loss) &&
	       (ran->n - majority_least(ran)) * UNSHARED_PARTS <= ran->n;
}

/* Whether of each creator's tasks one worker ran nearly all, not the same of all creators'. */
#define UNSHARED_CROWDS 3u /* of two, each creator may be the one producer (supply.c) */
static bool is_each_ones(const struct clues *clues, kind_id kind, struct crowd *crowd,
			 const struct loss *loss)
{
	uint64_t n = clues->rounds->kind[kind].ran.n;

	crowd_close(crowd);
	return crowd->n_crowds >= UNSHARED_CROWDS &&
	       is_of_others(clues->breakdown->kind[kind].work_ns, crowd->span_ns, loss) &&
	       (n - crowd->n_ran) * UNSHARED_PARTS <= n;
}

/* How long the other workers waited for a CPU, those that ran nothing at all as well. */
static uint64_t others_without_cpu(const struct clues *clues, uint32_t worker)
{
	const struct machine *machine = clues->machine;
	uint64_t sum_ns = 0;

	for (uint32_t w = 0; w < machine->n_lanes; w++)
		if (w != worker)
			sum_ns += machine_use(machine, w, clues->begin_ns, clues->end_ns).wait_ns;
	return sum_ns;
}

static void add_facts(const struct clues *clues, uint64_t n_rounds, struct finding *finding)
{
	static const char *const names[] = { "one worker", "one worker each time", "no CPU" };
	bool one = finding->variant == UNSHARED_ONE;
	uint64_t waited_ns = one ? others_without_cpu(clues, finding->worker) : 0;

	if (2 * waited_ns > finding->lost_ns)
		finding->variant = UNSHARED_NO_CPU;
	FACTS(finding, fact_string("variant", names[finding->variant]),
	      fact_count("tasks", clues->facts[finding->kind].n_begun),
	      one ? fact_count("worker", finding->worker) : fact_count("rounds", n_rounds),
	      fact_count("other_workers", finding->n_workers - 1),
	      fact_ns("waited_for_cpus", waited_ns));
}

/* Of the kind; yields_ns: yields_sum(). */
static void find_of(struct ledger *ledger, struct findings *findings, const struct cause *cause,
		    kind_id k, double yields_ns)
{
	const struct clues *clues = ledger->clues;
	const struct kind_rounds *rounds = &clues->rounds->kind[k];
	const struct majority *ran =
		is_collapsed(clues, k) ? &clues->rounds->ran_collapsed : &rounds->ran;
	struct crowd crowd = rounds->crowd;
	struct finding *finding;
	bool one, each;

	claim_ready(ledger, k);
	one = is_one_workers(clues, ran, &ledger->claim);
	each = !one && !is_collapsed(clues, k) && is_each_ones(clues, k, &crowd, &ledger->claim);
	if ((!one && !each) || ledger->claim.ns <= UNSHARED_YIELDS * yields_ns)
		claim_drop(ledger);
	finding = finding_claim(findings, cause, ledger, k);
	if (!finding)
		return;
	finding->variant = one ? UNSHARED_ONE : UNSHARED_EACH;
	finding->worker = ran->worker;
	add_facts(clues, crowd.n_crowds, finding);
}

static void find_unshared(struct ledger *ledger, struct findings *findings,
			  const struct cause *cause)
{
	const struct clues *clues = ledger->clues;
	double yields_ns = (double)yields_sum(clues);

	if (machine_is_oversubscribed(clues->machine, clues->dag) || clues->dag->n_workers < 2)
		return;
	for (kind_id k = 0; k < clues->dag->n_kinds; k++)
		find_of(ledger, findings, cause, k, yields_ns);
}

/* What keeps others from the tasks of a runtime; of any other one, all of these may. */
static const struct {
	const char *runtime, *causes;
} usual[] = {
	{ "libgomp",
	  "A taskloop of more than 64 tasks a thread: libgomp runs it in its own thread; ask for "
	  "fewer (num_tasks(), grainsize()). A team of one thread: num_threads()." },
	{ "libomp", "A team of one thread: num_threads()." },
	{ "oneTBB", "An arena of one slot (task_arena, global_control): ask for more." },
	{ "Qthreads", "One shepherd that all are forked to (qthread_fork_to()), or woken on: use "
		      "several." },
};
#define USUAL (sizeof(usual) / sizeof(usual[0]))

static const char *usual_causes(const char *runtime)
{
	for (size_t i = 0; i < USUAL; i++)
		if (strcmp(usual[i].runtime, runtime) == 0)
			return usual[i].causes;
	return "A team, arena or shepherd of one worker (num_threads(), task_arena, "
	       "qthread_fork_to()): ask for more.";
}

static void say_unshared(const struct finding *finding, struct sentence *what,
			 struct sentence *advice)
{
	const struct finding_names *names = what->names;

	say(what, finding->variant == UNSHARED_EACH
			  ? "in each of {rounds} rounds one worker ran nearly all of"
			  : "w{worker} ran nearly all of");
	say(what,
	    " its {tasks} tasks: they were ready, and the other{other_workers:s} of {workers} "
	    "workers ");
	if (finding->variant == UNSHARED_NO_CPU) {
		say(what, "waited for CPUs, in all for {waited_for_cpus}");
		say(advice,
		    "see that each worker has a CPU, up to {elapsed_ns} of elapsed: affinity "
		    "(taskset, OMP_PROC_BIND, OMP_PLACES, a call of sched_setaffinity() that "
		    "others inherit), cgroup quotas, other programs");
		return;
	}
	say(what, "took none, or hardly any");
	say(advice, "find what keeps the others from them, up to {elapsed_ns} of elapsed. ");
	say(advice, usual_causes(names->runtime(names->context, finding->kind)));
	say(advice, " A thread that waits in code of its own: let it wait in the runtime");
}

const struct cause cause_unshared = {
	{ "unshared", "one worker takes all",
	  "Tasks are ready, and one worker runs them one after the other; the others have nothing "
	  "to do, and may not take them, or do not come to it.",
	  "Nearly all tasks of the kind (15 of 16), or of at least 32 tasks that one task created, "
	  "ran on one worker, which worked while others were free.  P is no larger than the CPUs "
	  "of the process.  Tasks that yield (see yields) kept the others for less than half of "
	  "the loss.  Lost: the time in which free workers could have run them.",
	  "A taskloop of fewer tasks: libgomp runs one of more than 64 a thread where it stands.  "
	  "A team, arena or shepherd with more workers.  Wait in the runtime, whose workers take "
	  "tasks meanwhile.  Where the others waited for a CPU: see that each worker has one." },
	.find = find_unshared,
	.say = say_unshared,
};
