/* SPDX-License-Identifier: MIT */
/* stretches.c - the ready path runs something, and there is nothing for the others to do. */
#include "tools/analysis/findings/ahead.h"
#include "tools/analysis/findings/cause.h"
#include "tools/analysis/findings/costs.h"

/* ---- serial stretch ---- */

enum {
	SERIAL_MEMBER = PART_THREAD + 1,
	SERIAL_REGION,
	SERIAL_ROW,
	SERIAL_GATE
}; /* and PART_HEAD .. */

/*
 * Whether its worker computed then, or waited for something.  Samples are some 10 ms apart: strands
 * that are shorter are looked at together, where one worker ran hardly anything between them.
 */
#define DOING_SHARE .9
static enum machine_doing doing(const struct clues *clues, const struct part *part)
{
	bool all = !part->moved &&
		   part->path_ns >= DOING_SHARE * (double)(part->to_ns - part->from_ns);
	struct machine_use use =
		machine_use(clues->machine, part_worker(clues, part),
			    all ? part->from_ns : part->begin_ns, all ? part->to_ns : part->end_ns);

	return machine_doing(&use);
}

/* Whether it was waited for in that way; for the end of a region nobody waits in any. */
static bool is_waited_for(const struct clues *clues, const struct part *part, enum wire_wait what)
{
	return part->wait && clues->dag->wait[part->wait].what == what;
}

/* Whether a member ran code alone, and its team waited for nothing but that in a barrier. */
static bool is_members(const struct clues *clues, const struct part *part)
{
	return clues->dag->kind_what[part->kind] == KIND_IMPLICIT && part->n_waits == part->n &&
	       is_waited_for(clues, part, WIRE_WAIT_TEAM);
}

/* Whether a member went on alone up to the end of its region. */
static bool is_to_the_end(const struct clues *clues, const struct part *part)
{
	return clues->dag->kind_what[part->kind] == KIND_IMPLICIT && !part->wait &&
	       part->n_waits == part->n;
}

/* Whether nearly each task of the kind was alone of its kind on the path, one after the other. */
#define ROW_LEAST 10u
#define ROW_SHARE .9
static bool is_row(const struct clues *clues, const struct part *part)
{
	uint8_t what = clues->dag->kind_what[part->kind];

	return (what == KIND_TASK || what == KIND_LOOP) && part->n >= ROW_LEAST &&
	       part->path_ns >= ROW_SHARE * (double)clues->breakdown->kind[part->kind].work_ns;
}

static unsigned serial_variant(const struct clues *clues, const struct part *part)
{
	return is_members(clues, part)	    ? SERIAL_MEMBER
	       : is_to_the_end(clues, part) ? SERIAL_REGION
	       : part->role == ROLE_CHAIN   ? SERIAL_GATE
	       : is_row(clues, part)	    ? SERIAL_ROW
					    : (unsigned)part->where;
}

/* Code of its own; or tasks that others depend on, or these on others, which between them had
 * something to do: where they follow one another, that is a chain. */
static bool is_serial(const struct clues *clues, const struct part *part)
{
	return part->role == ROLE_SERIAL ||
	       (part->role == ROLE_CHAIN && part_is_idle(clues, part) &&
		!part_is_in_a_row(clues, part));
}

static const struct wording stretches[] = {
	[PART_HEAD] = { "head", "for {ran} it ran before the first task",
			"make it parallel, or begin tasks that do not need it before it" },
	[PART_MIDDLE] = { "between", "for {ran} it ran between tasks",
			  "split it into tasks, or start it earlier, beside other work" },
	[PART_TAIL] = { "tail", "for {ran} it ran after the last task",
			"make it parallel, or begin it before the last tasks have ended" },
	[PART_THREAD] = { "thread", "for {ran} threads ran before their first task",
			  "let threads begin tasks sooner, or make this code tasks, too" },
	[SERIAL_MEMBER] = { "member",
			    "one member of the team ({member}) ran alone before this barrier for "
			    "{ran},",
			    "share it out (for, tasks), or let the others go on beside it: "
			    "nowait, or a task of its own" },
	[SERIAL_REGION] = { "region",
			    "one member of the team ran alone up to the end of its region for "
			    "{ran},",
			    "share it out (tasks; for a loop schedule(dynamic) or smaller "
			    "chunks), or give the others something to do beside it" },
	[SERIAL_GATE] = { "gate",
			  "for {ran} it ran because of dependences, of others on it or its own,",
			  "split it into tasks, begin it earlier, beside others, or name less in "
			  "depend(), so that others need not wait for it" },
	[SERIAL_ROW] = { "row", "its {tasks} tasks ran one after the other for {ran},",
			 "let several run at once: a parallel filter of oneTBB wants more "
			 "tokens (parallel_pipeline's first argument), a serial filter or node "
			 "should be parallel (unlimited); or move work from it into those "
			 "beside it; else begin these tasks before the one before has ended" },
};

/* How many items the narrowest pipeline could have in it, if they are fewer than workers. */
static uint32_t few_tokens(const struct dag *dag, kind_id kind)
{
	uint32_t fewest = dag->n_workers;

	for (uint32_t r = 0; r < dag->n_runtimes; r++)
		if (dag->kind_runtimes[kind] >> r & 1 && dag->runtime[r].tokens &&
		    dag->runtime[r].tokens < fewest)
			fewest = dag->runtime[r].tokens;
	return fewest < dag->n_workers ? fewest : 0;
}

static void add_serial_facts(const struct clues *clues, const struct part *part,
			     struct finding *finding)
{
	enum machine_doing what = doing(clues, part);

	FACTS(finding, fact_string("variant", stretches[finding->variant].name),
	      fact_kind("member", part->kind),
	      fact_count("tasks", clues->facts[part->kind].n_begun),
	      fact_ns("ran", (uint64_t)part->path_ns), fact_count("stretches", part->n),
	      fact_ns("longest", finding->to_ns - finding->from_ns),
	      fact_ns("from", finding->from_ns), fact_ns("to", finding->to_ns));
	if (finding->variant == SERIAL_ROW && few_tokens(clues->dag, part->kind))
		FACTS(finding, fact_count("tokens", few_tokens(clues->dag, part->kind)));
	if (what != MACHINE_UNKNOWN)
		FACTS(finding, fact_string("doing", machine_doing_name[what]));
}

static void find_serial(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	const struct clues *clues = ledger->clues;

	for (uint32_t i = 0; i < clues->n_parts; i++) {
		struct part part;
		struct finding *finding;

		if (!clues->part[i].is_first)
			continue;
		part = part_of_kind(clues, i);
		if (!is_serial(clues, &part))
			continue;
		part_claim(ledger, i);
		finding = part_finding(findings, cause, ledger, &part);
		if (!finding)
			continue;
		finding->variant = serial_variant(clues, &part);
		if (finding->variant == SERIAL_MEMBER)
			finding->site = clues->dag->wait[part.wait].site;
		add_serial_facts(clues, &part, finding);
	}
}

static void say_serial(const struct finding *finding, struct sentence *what,
		       struct sentence *advice)
{
	const struct fact *doing = fact_of(finding, "doing");

	say(what, stretches[finding->variant].what);
	say(what, " with {busy} of {workers} workers busy, in ");
	say(what, fact_n(finding, "stretches") > 1
			  ? "{stretches} stretches, the longest of {longest}, from {from} on"
			  : "one stretch from {from} to {to}");
	if (doing)
		say(what, ", {doing}");
	if (fact_of(finding, "tokens"))
		say(what, "; a parallel_pipeline has {tokens} token{tokens:s}");
	if (doing && doing->text == machine_doing_name[MACHINE_BLOCKS])
		say(advice, "it waits for something (input, output, a lock): do that beside tasks");
	else if (fact_of(finding, "tokens"))
		say(advice, "let more items than {workers} workers into the pipeline at once: "
			    "parallel_pipeline's first argument is {tokens}");
	else
		say(advice, stretches[finding->variant].advice);
	say(advice, ": up to {elapsed_ns} of elapsed on {workers} workers");
}

const struct cause cause_serial = {
	{ "serial", "serial stretch",
	  "Code that no task runs beside: the other workers have nothing to do until it is over.",
	  "The ready path runs the code, and nothing is ready for the other workers.  Head: before "
	  "the first task; tail: after the last one; thread: before the first task of a thread "
	  "that a task made; else between tasks.  If one member of a team runs it, the place is "
	  "the barrier at which the others wait.  Or tasks that others depend on, or that depend "
	  "on others, where these kept the workers busy between them (else see chain).",
	  "Split it into tasks, or start it earlier, beside other work.  If tasks run one after "
	  "the other, as those of a serial filter do, make the filter parallel.  If tasks have "
	  "dependences, name less in them." },
	.find = find_serial,
	.say = say_serial,
	.divides = true,
};

/* ---- the last tasks before a wait ---- */

#define TAIL_LONG 2u	  /* so many medians are long */
#define REPEATED 3u	  /* so many waits are a pattern, .. */
#define REPEATED_SHARE .5 /* .. if none of them has more of the loss */

static bool is_repeated(const struct part *part)
{
	return part->n_waits >= REPEATED && part->longest_ns < REPEATED_SHARE * part->loss.ns;
}

#define TAIL_EARLY 4u /* it began in the first quarter */
static unsigned tail_variant(const struct clues *clues, strand_id longest)
{
	const struct rounds *rounds = clues->rounds;
	uint64_t from = dag_start(clues->dag, longest) - rounds->tasks_from_ns;
	uint64_t all = rounds->tasks_to_ns - rounds->tasks_from_ns;

	return from < all / TAIL_EARLY ? TAIL_LONG_ANYWAY : TAIL_LATE;
}

/* Of all kinds. */
static uint64_t tasks_begun(const struct clues *clues)
{
	uint64_t n = 0;

	for (kind_id k = 0; k < clues->dag->n_kinds; k++)
		if (clues->dag->kind_what[k] == KIND_TASK || clues->dag->kind_what[k] == KIND_LOOP)
			n += clues->facts[k].n_begun;
	return n;
}

/* The only task of its kind, and it began late, after others that were no longer. */
static bool is_late_one(const struct clues *clues, const struct part *part)
{
	return clues->facts[part->kind].n_begun == 1 &&
	       tasks_begun(clues) > clues->dag->n_workers &&
	       tail_variant(clues, part->longest) == TAIL_LATE;
}

/* Which of the causes below a LEAF or TEAM part is of. */
static const struct cause *cause_of_end(const struct clues *clues, const struct part *part)
{
	uint64_t length = dag_length(clues->dag, part->longest);

	if (part->role == ROLE_TEAM ||
	    (is_repeated(part) && is_waited_for(clues, part, WIRE_WAIT_TEAM)))
		return &cause_imbalance;
	if (is_repeated(part))
		return &cause_wait;
	if (length >= TAIL_LONG * clues->facts[part->kind].median_ns &&
	    clues->facts[part->kind].n_begun > 1)
		return &cause_tail;
	if (is_late_one(clues, part))
		return &cause_tail;
	return &cause_coarse;
}

/* Tasks that took at least half as long as the one that took so long. */
static uint64_t n_as_long(const struct kind_clues *seen, uint64_t ns)
{
	return cost_n_from(seen, WORK_LOCAL, ns / 2) + cost_n_from(seen, WORK_STOLEN, ns / 2);
}

#define WAIT_FEW_TASKS 3u /* a worker, each time */

/* Whether the group's last task was created below the task that waits. */
static bool is_below(const struct clues *clues, const struct part *part)
{
	const struct dag *dag = clues->dag;
	strand_id creator = ahead_creator(dag, part->longest);

	return is_waited_for(clues, part, WIRE_WAIT_GROUP) && creator != STRAND_NONE &&
	       dag->how[part->longest] & STRAND_FIRST &&
	       dag_kind(dag, creator) != clues->wait[part->wait].kind;
}

/* Whether who waits has nearly always created one task since it waited before, and done little; of
 * waits for all that is below it, the one may have created the others. */
#define EACH_SHARE .9
#define EACH_PARTS 10u
static bool waits_for_each(const struct clues *clues, const struct part *part)
{
	const struct wait_rounds *wait = &clues->rounds->wait[part->wait];

	if (!is_waited_for(clues, part, WIRE_WAIT_CHILDREN))
		return false;
	return (double)wait->n_single > EACH_SHARE * (double)wait->n_ends &&
	       wait->single_ns / wait->n_single < clues->facts[part->kind].median_ns / EACH_PARTS;
}

static unsigned wait_variant(const struct clues *clues, const struct part *part, double mean_tasks)
{
	if (is_below(clues, part))
		return WAIT_BELOW;
	if (waits_for_each(clues, part)) /* however long one of them is */
		return WAIT_EACH;
	if (dag_length(clues->dag, part->longest) >= TAIL_LONG * clues->facts[part->kind].median_ns)
		return WAIT_UNEVEN;
	if (mean_tasks < 2)
		return WAIT_EACH;
	return mean_tasks < WAIT_FEW_TASKS * clues->dag->n_workers ? WAIT_FEW : WAIT_OTHERS;
}

static const struct wording besides[] = {
	[WAIT_OTHERS] = { "others", "", "" },
	[WAIT_EACH] = { "each", "",
			"wait once, after all of them: it waits for each task before it "
			"creates the next one; else " },
	[WAIT_FEW] = { "few", "",
		       "split these tasks: {tasks_a_wait} are begun from one wait to the "
		       "next, for {workers} workers; with ten a worker, others would idle "
		       "for about a tenth as long; or " },
	[WAIT_UNEVEN] = { "uneven", "",
			  "begin the long ones first, or split them: the last took "
			  "{longest}, the median is {median}; or " },
	[WAIT_BELOW] = { "below", "",
			 "taskwait instead of the taskgroup, if what comes next does not need that "
			 "task: the one that waits did not create it, a task below did; else " },
};

static void add_wait_facts(const struct clues *clues, const struct part *part,
			   struct finding *finding)
{
	double mean = part->n_waits ? (double)tasks_begun(clues) / (double)part->n_waits : 0;

	finding->variant = wait_variant(clues, part, mean);
	FACTS(finding, fact_string("variant", besides[finding->variant].name),
	      fact_real("tasks_a_wait", mean));
}

static void add_tail_facts(const struct clues *clues, const struct part *part,
			   struct finding *finding)
{
	uint64_t longest_ns = dag_length(clues->dag, part->longest);

	finding->variant = tail_variant(clues, part->longest);
	FACTS(finding, fact_string("variant", finding->variant == TAIL_LATE ? "late" : "early"),
	      fact_count("as_long", n_as_long(&clues->kind[part->kind], longest_ns)));
}

static void add_end_facts(const struct clues *clues, const struct part *part,
			  struct finding *finding)
{
	uint64_t n = clues->facts[part->kind].n_begun, most = finding->to_ns - finding->from_ns;
	uint64_t p = finding->n_workers, n_waits = part->n_waits;
	uint64_t spread_ns = p ? clues->breakdown->total.work_ns / p : 0;

	FACTS(finding, fact_count("tasks", n), fact_kind("task", part->kind),
	      fact_ns("longest", most), fact_ns("median", clues->facts[part->kind].median_ns),
	      fact_ns("alone", part->alone_ns == UINT64_MAX ? finding->from_ns : part->alone_ns),
	      fact_ns("from", finding->from_ns), fact_ns("to", finding->to_ns),
	      fact_ns("bound", spread_ns > most ? spread_ns : most),
	      fact_count("wanted", n > 10 * p ? 10 * n : 10 * p), fact_count("waits", n_waits),
	      fact_ns("each_time", n_waits ? finding->elapsed_ns / n_waits : 0));
}

/* One part; of tasks that are too few wherever they are waited for, all parts of the kind from that
 * one on, as they are one cause. */
static void claim_end(struct ledger *ledger, const struct cause *cause, uint32_t from)
{
	const struct part *first = &ledger->clues->part[from];

	claim(ledger, ledger_row(ledger, ROW_PART, from));
	if (cause != &cause_coarse)
		return;
	for (uint32_t i = from + 1; i < ledger->clues->n_parts; i++) {
		const struct part *part = &ledger->clues->part[i];

		if (part->role == first->role && part->kind == first->kind &&
		    cause_of_end(ledger->clues, part) == cause)
			claim(ledger, ledger_row(ledger, ROW_PART, i));
	}
}

static void find_ends(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	const struct clues *clues = ledger->clues;

	for (uint32_t i = 0; i < clues->n_parts; i++) {
		const struct part *part = &clues->part[i];
		struct finding *finding;

		if ((part->role != ROLE_LEAF && part->role != ROLE_TEAM) ||
		    cause_of_end(clues, part) != cause)
			continue;
		claim_end(ledger, cause, i);
		finding = part_finding(findings, cause, ledger, part);
		if (!finding)
			continue;
		add_end_facts(clues, part, finding);
		if (cause == &cause_tail)
			add_tail_facts(clues, part, finding);
		if (part->wait && (cause == &cause_wait || cause == &cause_imbalance))
			finding->site = clues->dag->wait[part->wait].site;
		if (cause == &cause_imbalance)
			FACTS(finding, fact_count("moves", part->n_moves));
		if (cause == &cause_wait)
			add_wait_facts(clues, part, finding);
	}
}

/* The only task of its kind. */
static void say_only(struct sentence *what, struct sentence *advice)
{
	say(what, "its only task ran alone from {alone} to {to}: it took {longest}, and began "
		  "late, at {from}, behind others");
	say(advice,
	    "begin it first: create it first, or give it a priority (OpenMP heeds priority() "
	    "up to OMP_MAX_TASK_PRIORITY, which is 0 unless it is set), or split it");
}

static void say_tail(const struct finding *finding, struct sentence *what, struct sentence *advice)
{
	bool late = finding->variant == TAIL_LATE;

	if (fact_n(finding, "tasks") == 1) {
		say_only(what, advice);
	} else {
		say(what, "one of its {tasks} tasks ran alone from {alone} to {to}: it took "
			  "{longest} (median {median}");
		if (fact_n(finding, "as_long") > 1)
			say(what, "; {as_long} took half of that or more");
		say(what, late ? ") and began late, at {from}" : ") and began at {from}");
		say(advice, late ? "begin the long ones first (create them first, or priority), or "
				   "split them"
				 : "split it: it began early, and is still the last to end");
	}
	say(advice, "; no run of these tasks on {workers} workers is shorter than {bound}");
}

static void say_coarse(const struct finding *finding, struct sentence *what,
		       struct sentence *advice)
{
	(void)advice;
	say(what, "{tasks} task{tasks:s} ({task}) ");
	say(what, fact_n(finding, "tasks") == 1 ? "is" : "are");
	say(what, " too few or too long for {workers} workers: at the end the last took {longest}, "
		  "with {busy} of them busy");
}

static void say_wait(const struct finding *finding, struct sentence *what, struct sentence *advice)
{
	say(what, "{waits:times} this wait held back what comes next until the last task ({task}) "
		  "had ended, for {each_time} of elapsed");
	say(what, fact_n(finding, "waits") > 1 ? " each" : "");
	say(what, ", with {busy} of {workers} workers busy");
	(void)advice;
}

#define TURNS 4u /* of so many times, at least one is another worker's than the one before */
static void say_imbalance(const struct finding *finding, struct sentence *what,
			  struct sentence *advice)
{
	uint64_t n = fact_n(finding, "waits");
	bool in_turns = n >= REPEATED && TURNS * fact_n(finding, "moves") >= n;

	say(what, "{waits:times} the others waited at this barrier for the last one ({task}), "
		  "{each_time} of elapsed");
	say(what, n > 1 ? " each" : "");
	say(what, ", with {busy} of {workers} workers busy");
	if (in_turns) {
		say(what, "; {moves} times that was another worker than before");
		say(advice, "leave this barrier out where what follows does not need it (nowait), "
			    "or meet less often: who is late changes, so that it may even out; "
			    "else ");
	}
	say(advice, "share the work out evenly: schedule(dynamic) or (guided), smaller chunks, "
		    "tasks");
	if (!in_turns)
		say(advice, "; nowait where the next loop does not need this one");
}

const struct cause cause_tail = {
	{ "tail", "last big task",
	  "Near a wait one long task is left over, since it began late; the others have nothing to "
	  "do until it ends.",
	  "The ready path runs the task, at least twice as long as the median of its kind, up to a "
	  "wait, and nothing is ready for the other workers.",
	  "Begin the long tasks first: create them first, or give them a priority; or split "
	  "them." },
	.find = find_ends,
	.say = say_tail,
	.divides = true,
};

const struct cause cause_coarse = {
	{ "coarse", "tasks too coarse",
	  "There are too few tasks for the workers: in the last round some have nothing to do.",
	  "The ready path runs one of the last tasks before a wait, which is no longer than others "
	  "of its kind, and nothing is ready for the other workers.",
	  "Split the work into more and smaller tasks, at least ten for each worker." },
	.advice = "split them: with {wanted} tasks the end would cost at most a tenth as much; up "
		  "to {elapsed_ns} of elapsed",
	.find = find_ends,
	.say = say_coarse,
	.divides = true,
};

const struct cause cause_wait = {
	{ "wait", "a wait that holds back",
	  "A wait comes again and again.  Each time workers have nothing to do until the last task "
	  "before it has ended, although the next tasks may not need that one.",
	  "At least 3 waits at one place, none with half of the loss, each with idle workers while "
	  "the last tasks run.",
	  "Let the next tasks wait only for those that they need (depend()), or move the wait to "
	  "the end (taskgroup)." },
	.find = find_ends,
	.ways = besides,
	.advice = "let each next task wait only for those that it needs: depend() instead of the "
		  "wait, or one taskgroup around all rounds where they are independent",
	.say = say_wait,
};

const struct cause cause_imbalance = {
	{ "imbalance", "imbalance at a barrier",
	  "The members of a team come to a barrier at different times, and wait for the last one.",
	  "The ready path runs the last member, or the last tasks, before the barrier, others had "
	  "work before it, and nothing is ready for them.",
	  "Share the work out evenly: dynamic schedule, smaller chunks, tasks; nowait.  Where "
	  "members are last in turns: fewer barriers." },
	.find = find_ends,
	.say = say_imbalance,
};

/* ---- a chain of dependences ---- */

#define CHAIN_TASKS 3u
#define CHAIN_EARLY 4u /* it began in the first quarter */

/* It began once a quarter of the time with tasks was over, and not after another chain. */
static bool chain_is_late(const struct clues *clues, const struct part *part)
{
	for (uint32_t i = 0; i < clues->n_parts; i++)
		if (clues->part[i].role == ROLE_CHAIN && clues->part[i].kind != part->kind &&
		    clues->part[i].from_ns < part->from_ns)
			return false;
	return (part->from_ns - clues->rounds->tasks_from_ns) * CHAIN_EARLY >
	       clues->rounds->tasks_to_ns - clues->rounds->tasks_from_ns;
}

static const struct wording ways[] = {
	{ "early", "", "" },
	{ "late", "",
	  "begin it earlier, beside other tasks: create it first, or give it a priority; else " },
};

static void find_chain(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	const struct clues *clues = ledger->clues;

	for (uint32_t i = 0; i < clues->n_parts; i++) {
		struct finding *finding;
		struct part part;

		if (clues->part[i].role != ROLE_CHAIN || !clues->part[i].is_first)
			continue;
		part = part_of_kind(clues, i);
		if (part.n < CHAIN_TASKS || !part_is_idle(clues, &part) ||
		    !part_is_in_a_row(clues, &part))
			continue;
		part_claim(ledger, i);
		claim(ledger, ledger_lag(ledger, part.kind, LAG_DEPEND));
		finding = part_finding(findings, cause, ledger, &part);
		if (!finding)
			continue;
		finding->from_ns = part.from_ns;
		finding->to_ns = part.to_ns;
		finding->variant = chain_is_late(clues, &part);
		FACTS(finding, fact_string("variant", ways[finding->variant].name),
		      fact_count("in_a_row", part.n),
		      fact_count("tasks", clues->facts[part.kind].n_begun),
		      fact_ns("ran", (uint64_t)part.path_ns));
	}
}

const struct cause cause_chain = {
	{ "chain", "dependence chain",
	  "Tasks depend on one another in a row, so that they run one after the other.",
	  "At least 3 tasks follow each other on the ready path by dependences, and nothing is "
	  "ready for the other workers.",
	  "Remove dependences that are none: depend on the element and not on the whole, in "
	  "instead of inout; split the tasks, or shorten the chain; begin it earlier, beside other "
	  "tasks." },
	.find = find_chain,
	.ways = ways,
	.what = "{in_a_row} of {tasks} tasks ran one after the other for {ran}, each because it "
		"depends on the one before; {busy} of {workers} workers were busy meanwhile",
	.advice = "see whether each depend() is needed: name only what the task itself reads and "
		  "writes, in instead of inout for what is only read, an element instead of the "
		  "whole; else smaller tasks, so that the next ones begin sooner (of a wavefront, "
		  "more blocks), or a shorter chain",
};
