/* SPDX-License-Identifier: MIT */
/* grain.c - tasks too small for what they cost, and what the recorder itself costs. */
#include <stdlib.h>

#include "tools/analysis/findings/cause.h"
#include "tools/analysis/findings/costs.h"
#include "tools/base/at_most.h"
#include "tools/base/xalloc.h"

#define FINE_TASKS 100u	     /* fewer tasks are no pattern */
#define FINE_WORK_NS 200000u /* a median task of more than this is not short */
#define FINE_COST 10u	     /* too fine: a task costs more than a tenth of its work */
#define FINE_GRAIN 20u	     /* advice: a task this many times as long as it costs; 5 % are lost */
#define TASK_EVENTS 4u	     /* creation, its return, begin and end */
#define RECORDER_SHARE 20u   /* a twentieth of elapsed x P */

/* ---- what a task costs ---- */

/* Collapsed tasks: their workers had work at hand whenever they ran none. */
static uint64_t collapsed_cost(const struct clues *clues, uint64_t *n_events)
{
	const struct dag *dag = clues->dag;
	double idle = 0, n = 0;

	for (uint32_t i = 0; i < dag->n_collapsed; i++) {
		idle += (double)collapsed_idle_ns(&dag->collapsed[i]);
		n += (double)dag->collapsed[i].n_tasks;
	}
	*n_events = TASK_EVENTS + (n > 0 ? 2 * dag->n_collapsed_waits / dag->n_collapsed_tasks : 0);
	return n > 0 ? (uint64_t)(idle / n) : 0;
}

/* Of collapsed tasks: the mean gap in ps, or UINT64_MAX. */
static uint64_t collapsed_gap_ps(const struct dag *dag)
{
	uint64_t n_gaps = 2 * dag->n_collapsed_tasks + dag->n_collapsed_waits;
	uint64_t idle_ns = 0;

	if (2 * dag->n_collapsed_tasks < dag->n_tasks)
		return UINT64_MAX;
	for (uint32_t i = 0; i < dag->n_collapsed; i++)
		idle_ns += collapsed_idle_ns(&dag->collapsed[i]);
	return n_gaps ? idle_ns * 1000 / n_gaps : UINT64_MAX;
}

/*
 * No more than half of the usual gap between strands, and of what lies in a strand, since these
 * have two events.  Where nothing was between two events, they share one reading of the clock: such
 * gaps tell nothing.  The usual gap is that of all strands: some sort of it may be shorter, as of a
 * wait that ends at once.
 */
uint64_t grain_event_ps(const struct clues *clues, uint64_t measured_ps, uint64_t strand_ps)
{
	uint64_t ps = collapsed_gap_ps(clues->dag);
	uint64_t gap_ns = cost_gap(clues->kind, clues->dag->n_kinds);

	if (gap_ns && gap_ns * 1000 < ps)
		ps = gap_ns * 1000;
	return ps == UINT64_MAX ? measured_ps : at_most((ps + strand_ps) / 2, measured_ps);
}

/*
 * What the runtime takes for a task of the kind, creation, begin and its creator's wait, in ns,
 * without what the recorder took for it (*tracer_ns).  0 if nothing tells.
 */
static uint64_t grain_cost(const struct clues *clues, kind_id kind, uint64_t *tracer_ns)
{
	const struct kind_collapsed *collapsed = clues->dag->kind_collapsed[kind];
	const struct kind_clues *seen = &clues->kind[kind];
	uint64_t cost, n_events = TASK_EVENTS;

	if (collapsed && 2 * collapsed->n_tasks > clues->facts[kind].n_begun) {
		cost = collapsed_cost(clues, &n_events);
	} else {
		cost = cost_usual(seen, COST_CALL) + cost_usual(seen, COST_BEGIN) +
		       cost_usual(seen, COST_STEAL);
		cost /= clues->facts[kind].n_begun ? clues->facts[kind].n_begun : 1;
	}
	*tracer_ns = n_events * clues->between_ps / 1000;
	return cost > *tracer_ns ? cost - *tracer_ns : 0;
}

uint64_t grain_work(const struct clues *clues, kind_id kind)
{
	uint64_t n = clues->facts[kind].n_begun;

	return n ? clues->breakdown->kind[kind].work_ns / n : 0;
}

bool grain_costs_too_much(uint64_t n, uint64_t work_ns, uint64_t cost_ns)
{
	return n >= FINE_TASKS && work_ns <= FINE_WORK_NS && cost_ns * FINE_COST > work_ns;
}

void grain_aim(struct finding *finding, uint64_t cost_ns, uint64_t mean_ns)
{
	uint64_t aim_ns = cost_ns * FINE_GRAIN;

	FACTS(finding, fact_count("more", mean_ns ? quotient_up(aim_ns, mean_ns) : aim_ns),
	      fact_ns("aim", aim_ns));
}

/* Most of its tasks open regions, whose members do their work. */
static bool opens_regions(const struct clues *clues, kind_id kind)
{
	return 2 * clues->kind[kind].n_forks > clues->facts[kind].n_begun;
}

/* Whether its tasks are so short that they are not worth what they cost, beside what is copied for
 * them (copies.c). */
static bool is_fine(const struct clues *clues, kind_id kind)
{
	const struct kind_facts *facts = &clues->facts[kind];
	uint64_t tracer_ns, cost = grain_cost(clues, kind, &tracer_ns);

	return !opens_regions(clues, kind) &&
	       grain_costs_too_much(facts->n_begun, facts->median_ns,
				    cost - at_most(copies_each_ns(clues, kind), cost));
}

/* ---- split, merge, change or leave ---- */

const char *const quadrant_name[QUADRANTS] = { "leave", "split", "merge", "change" };

#define QUADRANT_PART .1 /* of the kind's own work */

struct kind_grain grain_of(const struct clues *clues, kind_id kind)
{
	const struct charge *charge = &clues->breakdown->kind[kind];
	uint8_t what = clues->dag->kind_what[kind];
	uint64_t n = clues->facts[kind].n_begun, tracer_ns;
	struct kind_grain grain = { 0 };
	struct loss idle = { .ns = (double)(charge->no_work_sched_ns + charge->no_work_app_ns) };
	struct loss cost = { 0 };
	double much = QUADRANT_PART * (double)charge->work_ns;

	if ((what == KIND_TASK || what == KIND_LOOP) && !opens_regions(clues, kind))
		grain.cost_ns = grain_cost(clues, kind, &tracer_ns);
	if (grain.cost_ns && n)
		grain.benefit = (double)grain_work(clues, kind) / (double)grain.cost_ns;
	cost.ns = (double)grain.cost_ns * (double)n;
	if (is_worth(clues, &idle) && idle.ns > much)
		grain.quadrant |= QUADRANT_SPLIT;
	if (is_worth(clues, &cost) && cost.ns > much)
		grain.quadrant |= QUADRANT_MERGE;
	return grain;
}

/* ---- too fine ---- */

/* What the runtime took for its tasks, and how long idle workers waited for them. */
static double took_ns(const struct clues *clues, kind_id kind)
{
	uint64_t tracer_ns, cost = grain_cost(clues, kind, &tracer_ns);

	return (double)(cost + tracer_ns) * (double)clues->facts[kind].n_begun +
	       (double)clues->breakdown->in_state[kind].ns[STATE_IDLE];
}

/* Moves what was lost while its tasks were ready. */
static void move_ready(struct ledger *ledger, kind_id kind, struct loss *to)
{
	for (int lag = 0; lag < LAGS; lag++)
		if (lag != LAG_AWAY && lag != LAG_BURIED && lag != LAG_SYNC)
			ledger_move(to, ledger_lag(ledger, kind, lag));
	ledger_move(to, ledger_row(ledger, ROW_COLLAPSED, kind));
}

/* Moves what was lost because creators of fine tasks were busy with creations, or away. */
static void move_unmade(struct ledger *ledger, const bool *fine)
{
	for (kind_id k = 0; k < ledger->clues->dag->n_kinds; k++) {
		kind_id over = ledger->clues->kind[k].burial.over;

		if (fine[k])
			ledger_move(ledger_row(ledger, ROW_FINE, k),
				    ledger_row(ledger, ROW_PRODUCER, k));
		if (fine[over])
			ledger_move(ledger_row(ledger, ROW_FINE, over),
				    ledger_lag(ledger, k, LAG_AWAY));
	}
}

/*
 * A kind's part of what fine kinds lost.  A full queue has tasks of one kind while workers are in
 * calls for those of another: which took the time counts, and not which was ready meanwhile.
 */
static void share_fine(struct ledger *ledger, kind_id k, const struct loss *ready, double share)
{
	struct loss *fine = ledger_row(ledger, ROW_FINE, k);
	uint64_t tracer_ns;

	grain_cost(ledger->clues, k, &tracer_ns);
	fine->ns += ready->ns * share;
	fine->path_ns += ready->path_ns * share;
	*ledger_row(ledger, ROW_EVENTS, k) =
		loss_take(fine, (double)tracer_ns * (double)ledger->clues->facts[k].n_begun);
}

void fine_settle(struct ledger *ledger)
{
	const struct clues *clues = ledger->clues;
	bool *fine = xcalloc(clues->dag->n_kinds + 1ull, sizeof(*fine));
	struct loss ready = { 0 };
	double sum_ns = 0;

	for (kind_id k = 0; k < clues->dag->n_kinds; k++) {
		fine[k] = is_fine(clues, k);
		if (!fine[k])
			continue;
		move_ready(ledger, k, &ready);
		sum_ns += took_ns(clues, k);
	}
	move_unmade(ledger, fine);
	for (kind_id k = 0; k < clues->dag->n_kinds; k++)
		if (fine[k])
			share_fine(ledger, k, &ready, sum_ns > 0 ? took_ns(clues, k) / sum_ns : 0);
	free(fine);
}

/* What most calls that create one take, if that is long and most of what it costs; else 0.  What a
 * task that runs in the call takes is none of it. */
#define CREATE_LONG_NS 2000u /* where little is copied, and no other worker is in the way */
static uint64_t create_long(const struct clues *clues, kind_id kind, uint64_t cost_ns)
{
	uint64_t ns = cost_median(&clues->kind[kind], COST_CALL);

	return ns >= CREATE_LONG_NS && 2 * ns > cost_ns ? ns : 0;
}

enum { FINE_TASKS_OF, FINE_REGIONS };

/* Its tasks are members of regions, of which each costs what all of its members do. */
static void add_region_facts(const struct clues *clues, struct finding *finding, uint64_t cost_ns)
{
	uint64_t n = clues->kind[finding->kind].n_regions;
	uint64_t members = clues->facts[finding->kind].n_begun;

	finding->variant = FINE_REGIONS;
	FACTS(finding, fact_count("regions", n), fact_ns("region", cost_ns * members / n));
}

static void add_fine_facts(const struct clues *clues, struct finding *finding, uint64_t cost_ns,
			   uint64_t tracer_ns)
{
	kind_id kind = finding->kind;
	uint64_t create_ns = create_long(clues, kind, cost_ns);
	double share;
	const struct lock *lock = lock_that_decides(clues, kind, &share);

	FACTS(finding, fact_count("tasks", clues->facts[kind].n_begun),
	      fact_ns("median", clues->facts[kind].median_ns),
	      fact_ns("mean", grain_work(clues, kind)), fact_ns("cost", cost_ns),
	      fact_ns("recording", tracer_ns));
	grain_aim(finding, cost_ns, grain_work(clues, kind));
	if (clues->dag->kind_what[kind] == KIND_IMPLICIT && clues->kind[kind].n_regions)
		add_region_facts(clues, finding, cost_ns);
	if (create_ns)
		FACTS(finding, fact_ns("create", create_ns));
	if (lock)
		FACTS(finding, fact_share("under_lock", share), fact_lock("lock", lock));
}

static void find_fine(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	for (kind_id k = 0; k < ledger->clues->dag->n_kinds; k++) {
		uint64_t tracer_ns, cost;
		struct finding *finding;

		claim(ledger, ledger_row(ledger, ROW_FINE, k));
		finding = finding_claim(findings, cause, ledger, k);
		if (!finding)
			continue;
		cost = grain_cost(ledger->clues, k, &tracer_ns);
		add_fine_facts(ledger->clues, finding, cost, tracer_ns);
	}
}

/* Where most tasks are far from the mean, it is the mean that says what all of them cost. */
static bool is_usual(uint64_t median_ns, uint64_t mean_ns)
{
	return 2 * mean_ns <= 3 * median_ns && 2 * median_ns <= 3 * mean_ns;
}

static void say_regions(const struct finding *finding, struct sentence *what,
			struct sentence *advice)
{
	say(what, "{regions} parallel region{regions:s}, whose members work for {median} each "
		  "(median; mean {mean}): a region costs the runtime {region} (recording adds "
		  "{recording} a member, which is not counted)");
	if (fact_n(finding, "regions") == 1) { /* no loop opens it: what it costs is its threads */
		say(advice, "ask for fewer threads (num_threads, OMP_NUM_THREADS), or for none "
			    "where there is so little to do (if())");
		return;
	}
	say(advice, "open one region around the loop that opens these, or none where there is so "
		    "little to do (if()); a member should work {more} times as much, about {aim}; "
		    "the cost is then at most 5 % of the work");
}

static void say_fine(const struct finding *finding, struct sentence *what, struct sentence *advice)
{
	uint64_t mean_ns = fact_n(finding, "mean"), cost_ns = fact_n(finding, "cost");

	if (finding->variant == FINE_REGIONS) {
		say_regions(finding, what, advice);
		return;
	}
	say(what, "{tasks} tasks work for {median} each (median");
	say(what, is_usual(fact_n(finding, "median"), mean_ns) ? ")" : "; mean {mean})");
	say(what, ", and each costs the runtime {cost} (recording adds {recording}, which is not "
		  "counted)");
	if (fact_of(finding, "create"))
		say(what, "; half of the calls that create one take {create} or more");
	if (fact_of(finding, "lock")) {
		say(what, "\n{under_lock} of their work is under {lock}, which decides how long "
			  "they take");
		say(advice, "first that lock: larger tasks would wait for it all the same; then "
			    "record again, to see what a task costs");
		return;
	}
	if (fact_of(finding, "create"))
		say(advice, "see whether creating one copies much (firstprivate, captures by "
			    "value: a pointer instead) or depends on much; else ");
	if (fact_n(finding, "more") > 1) {
		say(advice, cost_ns > mean_ns ? "call it, or " : "");
		say(advice, "put {more} times as much work into a task, about {aim}: a cut-off, or "
			    "several iterations a task; the cost is then at most 5 % of the work "
			    "(--by grain: what each length costs)");
	} else {
		say(advice, "call the short ones, which most are: a cut-off (--by grain: what each "
			    "length costs)");
	}
}

const struct cause cause_fine = {
	{ "fine", "tasks too fine",
	  "The tasks are so short that the runtime takes a large part of the time to create, "
	  "schedule and join them.",
	  "At least 100 tasks of the kind, for each of which the runtime takes more than a tenth "
	  "of the median work.  That cost is the mean of the call that creates it and of its "
	  "begin, each counted up to 20 us, and to four medians in the mean.  Longer ones do not "
	  "count if their worker waited for a CPU; if these are most, the cost is unknown.  For "
	  "collapsed tasks it is the time between strands.  What tptrace took for its events is "
	  "left out.  Where these tasks would hold a lock for half of the time if they cost "
	  "nothing, that lock decides, and comes first.  Lost: the time in which free workers "
	  "could have run these tasks, or their creator was in the runtime or busy between "
	  "creations and others had nothing to do.",
	  "Put more work into each task: one parallel region for many; stop creating tasks below a "
	  "size (cut-off, if(), final()), or give each task many iterations (grainsize, a larger "
	  "range); copy less into it." },
	.find = find_fine,
	.say = say_fine,
};

/* ---- the recorder ---- */

enum { RECORDER_HOLDS, RECORDER_TAKES, RECORDER_TAKES_LOCKS };
#define RECORDER_OFTEN 100u /* events of a task, which are those of its calls of the runtime */

/* Gathers what events took of tasks that are too fine, and of calls of locks.  The kind of tasks
 * with most of it. */
static kind_id claim_events(struct ledger *ledger, unsigned *variant)
{
	const struct dag *dag = ledger->clues->dag;
	kind_id most = ledger->clues->held_most;
	double locks_ns, most_ns = 0;

	for (uint32_t i = 0; i < dag->n_waits; i++)
		claim(ledger, ledger_row(ledger, ROW_CALL_EVENTS, i));
	locks_ns = ledger->claim.ns;
	for (kind_id k = 0; k < dag->n_kinds; k++) {
		const struct loss *own = ledger_row(ledger, ROW_EVENTS, k);

		claim(ledger, own);
		most = own->ns > most_ns ? k : most;
		most_ns = own->ns > most_ns ? own->ns : most_ns;
	}
	*variant = 2 * locks_ns > ledger->claim.ns ? RECORDER_TAKES_LOCKS : RECORDER_TAKES;
	return most;
}

static struct finding *claim_recorder(struct ledger *ledger, struct findings *findings,
				      const struct cause *cause, kind_id kind, unsigned variant)
{
	static const char *const names[] = { "holds", "takes", "takes locks" };
	const struct clues *clues = ledger->clues;
	double took = (double)clues->tracer_ns / (double)charge_sum(&clues->breakdown->total);
	struct finding *finding = finding_claim(findings, cause, ledger, kind);

	if (!finding)
		return NULL;
	finding->variant = variant;
	FACTS(finding, fact_string("variant", names[variant]),
	      fact_count("events", clues_events(clues, kind)),
	      fact_count("tasks", clues->facts[kind].n_begun),
	      fact_ns("event", clues->event_ps / 1000),
	      fact_ns("median", clues->facts[kind].median_ns), fact_share("took", took));
	return finding;
}

/* What held the workers, and what events took: one finding where both are of the same tasks. */
static void find_recorder(struct ledger *ledger, struct findings *findings,
			  const struct cause *cause)
{
	const struct clues *clues = ledger->clues;
	struct finding *held;
	unsigned variant;
	kind_id kind;

	claim(ledger, ledger_row(ledger, ROW_HELD, 0));
	held = claim_recorder(ledger, findings, cause, clues->held_most, RECORDER_HOLDS);
	if (clues->tracer_ns <= charge_sum(&clues->breakdown->total) / RECORDER_SHARE)
		return;
	kind = claim_events(ledger, &variant);
	if (!held || held->kind != kind) {
		claim_recorder(ledger, findings, cause, kind, variant);
	} else if (claim_is_worth(ledger)) {
		FACTS(held, fact_ns("of_events", (uint64_t)ledger->claim.ns));
		finding_add_claim(held, ledger);
	}
	claim_drop(ledger);
}

static void say_held(const struct finding *finding, struct sentence *what, struct sentence *advice)
{
	say(what, "workers waited for tptrace's collector or did its work, most with events of "
		  "these tasks ({events} event{events:s}, {tasks} task{tasks:s}); others may have "
		  "waited for those workers");
	if (fact_of(finding, "of_events"))
		say(what, "; {of_events} of it the events took, some {event} each");
	say(advice, "leave the collector a CPU, or ");
	say(advice, fact_n(finding, "events") > RECORDER_OFTEN * fact_n(finding, "tasks")
			    ? "call the runtime less often from these tasks (taskyield, locks, "
			      "waits: a loop that waits for a change should be a dependence)"
			    : "make the tasks larger");
	say(advice, "; if it was stopped or behind, a larger --buffer or --overflow=drop");
}

static void say_recorder(const struct finding *finding, struct sentence *what,
			 struct sentence *advice)
{
	bool locks = finding->variant == RECORDER_TAKES_LOCKS;

	if (finding->variant == RECORDER_HOLDS) {
		say_held(finding, what, advice);
		return;
	}
	say(what, "recording took {took} of elapsed x workers: some {event} an event, and a ");
	say(what, locks ? "lock that is taken and released has four"
			: "task of {median} (median) has four and more");
	say(what, "; a run that is not recorded loses less");
	say(advice, locks ? "take locks less often first (see locking)"
			  : "make the tasks larger first (see fine)");
	say(advice, ": it cures both; compare runs by their times without tptrace, not by these "
		    "core-seconds");
}

const struct cause cause_tracer = {
	{ "tracer", "tptrace itself",
	  "tptrace took much of the run: workers waited for it, since events came faster than the "
	  "collector took them, or the events themselves took long.",
	  "The recorder times each wait of a worker for the collector, and how long a worker takes "
	  "to collapse its events itself.  (It does so where the collector has no CPU of its own, "
	  "or is behind.)  At its start it measures what an event takes.  Events count if they "
	  "took more than a twentieth of elapsed x P.  Lost: these times, and of the losses of "
	  "tasks that are too fine, and of locks taken often, what their events took.",
	  "See that the collector has a CPU; make tasks larger; record with a larger --buffer, or "
	  "with --overflow=drop." },
	.gains_nothing = true,
	.is_last = true,
	.find = find_recorder,
	.say = say_recorder,
};
