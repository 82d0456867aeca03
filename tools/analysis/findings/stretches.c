/* SPDX-License-Identifier: MIT */
/* stretches.c - the ready path runs something, and there is nothing for the others to do. */
#include "tools/analysis/findings/ahead.h"
#include "tools/analysis/findings/cause.h"
#include "tools/analysis/findings/costs.h"
#include "tools/analysis/findings/variants.h"

/* ---- serial stretch ---- */

enum {
	SERIAL_MEMBER = PART_TAIL + 1,
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
	const struct dag *dag = clues->dag;
	bool all = !part->moved &&
		   part->path_ns >= DOING_SHARE * (double)(part->to_ns - part->from_ns);
	struct machine_use use = machine_use(clues->machine, part_worker(clues, part),
					     all ? part->from_ns : dag_start(dag, part->longest),
					     all ? part->to_ns : dag_end(dag, part->longest));

	return machine_doing(&use);
}

/* Whether a member ran code alone, and its team waited for nothing but that in a barrier. */
static bool is_members(const struct clues *clues, const struct part *part)
{
	return clues->dag->kind_what[part->kind] == KIND_IMPLICIT && part->wait &&
	       part->n_waits == part->n && clues->dag->wait[part->wait].what == WIRE_WAIT_TEAM;
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

/* Code of its own, or tasks that others depend on. */
static bool is_serial(const struct clues *clues, const struct part *part)
{
	return part->role == ROLE_SERIAL || part_is_gate(clues, part);
}

static int find_serial(const struct clues *clues, struct findings *findings)
{
	for (uint32_t i = 0; i < clues->n_parts; i++) {
		struct part part;
		struct finding *finding;

		if (!part_is_first(clues, i) || cutoff_calls(clues, clues->part[i].kind))
			continue;
		part = part_of_kind(clues, i);
		if (!is_serial(clues, &part) || !is_worth(clues, &part.loss))
			continue;
		finding = part_add(findings, &cause_serial, clues, &part);
		if (!finding)
			return -1;
		finding->variant = serial_variant(clues, &part);
		if (finding->variant == SERIAL_MEMBER)
			finding->site = clues->dag->wait[part.wait].site;
		finding->n_tasks = clues->facts[part.kind].n_begun;
		finding->doing = doing(clues, &part);
		finding->cost_ns = (uint64_t)part.path_ns;
	}
	return 0;
}

static void say_serial(const struct finding *finding, const struct finding_names *names, char *what,
		       char *advice)
{
	static const char *const when[] = { "ran before the first task", "ran between tasks",
					    "ran after the last task" };
	static const char *const how[] = {
		"make it parallel, or begin tasks that do not need it before it",
		"split it into tasks, or start it earlier, beside other work",
		"make it parallel, or begin it before the last tasks have ended",
		[SERIAL_MEMBER] = "share it out (for, tasks), or let the others go on beside it: "
				  "nowait, or a task of its own",
		[SERIAL_REGION] = "share it out (tasks; for a loop schedule(dynamic) or smaller "
				  "chunks), or give the others something to do beside it",
		[SERIAL_GATE] =
			"split it into tasks, begin it earlier, beside others, or name less in "
			"depend(), so that others need not wait for it",
		[SERIAL_ROW] = "if it is a serial filter or node of oneTBB, make it parallel "
			       "(unlimited), or move work from it into those beside it; else begin "
			       "these tasks before the one before has ended",
	};
	char all[UNITS_TIME], from[UNITS_TIME], to[UNITS_TIME], saved[UNITS_TIME], member[160],
		ran[240];
	char stretches[120];

	units_time(from, finding->from_ns);
	if (finding->n > 1)
		snprintf(stretches, sizeof(stretches),
			 "%llu stretches, the longest of %s, from %s on",
			 (unsigned long long)finding->n,
			 units_time(to, finding->to_ns - finding->from_ns), from);
	else
		snprintf(stretches, sizeof(stretches), "one stretch from %s to %s", from,
			 units_time(to, finding->to_ns));
	if (finding->variant == SERIAL_MEMBER)
		snprintf(ran, sizeof(ran),
			 "one member of the team (%s) ran alone before this barrier for %s,",
			 names->kind(names->context, finding->kind, member, sizeof(member)),
			 units_time(all, finding->cost_ns));
	else if (finding->variant == SERIAL_REGION)
		snprintf(ran, sizeof(ran),
			 "one member of the team ran alone up to the end of its region for %s,",
			 units_time(all, finding->cost_ns));
	else if (finding->variant == SERIAL_GATE)
		snprintf(ran, sizeof(ran),
			 "for %s it ran because of dependences, of others on it or its own,",
			 units_time(all, finding->cost_ns));
	else if (finding->variant == SERIAL_ROW)
		snprintf(ran, sizeof(ran), "its %llu tasks ran one after the other for %s,",
			 (unsigned long long)finding->n_tasks, units_time(all, finding->cost_ns));
	else
		snprintf(ran, sizeof(ran), "for %s it %s", units_time(all, finding->cost_ns),
			 when[finding->variant]);
	snprintf(what, FINDING_TEXT, "%s with %.1f of %u workers busy, in %s%s%s", ran,
		 finding->share, finding->n_workers, stretches,
		 finding->doing == MACHINE_UNKNOWN ? "" : ", ",
		 finding->doing == MACHINE_UNKNOWN ? "" : machine_doing_name[finding->doing]);
	snprintf(advice, FINDING_TEXT, "%s: up to %s of elapsed on %u workers",
		 finding->doing == MACHINE_BLOCKS
			 ? "it waits for something (input, output, a lock): do that beside tasks"
			 : how[finding->variant],
		 units_time(saved, finding->elapsed_ns), finding->n_workers);
}

const struct cause cause_serial = {
	{ "serial", "serial stretch",
	  "Code that no task runs beside: the other workers have nothing to do until it is over.",
	  "The ready path runs the code, and nothing is ready for the other workers.  Head: before "
	  "the first task; tail: after the last one; else between tasks.  If one member of a team "
	  "runs it, the place is the barrier at which the others wait.  Or tasks that others "
	  "depend on, or that depend on others, where these kept the workers busy between them "
	  "(else see chain).",
	  "Split it into tasks, or start it earlier, beside other work.  If tasks run one after "
	  "the other, as those of a serial filter do, make the filter parallel.  If tasks have "
	  "dependences, name less in them." },
	.find = find_serial,
	.say = say_serial,
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

/* The causes of what a LEAF or TEAM part lost. */
static const struct cause *cause_of_end(const struct clues *clues, const struct part *part)
{
	uint64_t length = dag_length(clues->dag, part->longest);
	uint8_t what = clues->dag->n_waits ? clues->dag->wait[part->wait].what : 0;

	if (cutoff_calls(clues, part->kind))
		return &cause_cutoff;
	if (part->role == ROLE_TEAM || (is_repeated(part) && what == WIRE_WAIT_TEAM))
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

/* What would help besides, at a wait that comes again and again. */
enum { WAIT_OTHERS = 1, WAIT_EACH, WAIT_FEW, WAIT_UNEVEN, WAIT_BELOW };
#define WAIT_FEW_TASKS 3u /* a worker, each time */

/* Whether the group's last task was created below the task that waits. */
static bool is_below(const struct clues *clues, const struct part *part)
{
	const struct dag *dag = clues->dag;
	strand_id creator = ahead_creator(dag, part->longest);

	return dag->wait[part->wait].what == WIRE_WAIT_GROUP && creator != STRAND_NONE &&
	       dag->how[part->longest] & STRAND_FIRST &&
	       dag_kind(dag, creator) != clues->wait[part->wait].kind;
}

/* Whether who waits has nearly always created one task since it waited before, and done little. */
#define EACH_SHARE .9
#define EACH_PARTS 10u
static bool waits_for_each(const struct clues *clues, const struct part *part)
{
	const struct wait_rounds *wait = &clues->rounds->wait[part->wait];

	return (double)wait->n_single > EACH_SHARE * (double)wait->n_ends &&
	       wait->single_ns / wait->n_single < clues->facts[part->kind].median_ns / EACH_PARTS;
}

static void look_at_wait(const struct clues *clues, const struct part *part,
			 struct finding *finding)
{
	finding->mean_tasks =
		part->n_waits ? (double)tasks_begun(clues) / (double)part->n_waits : 0;
	if (is_below(clues, part))
		finding->variant = WAIT_BELOW;
	else if (waits_for_each(clues, part)) /* however long one of them is */
		finding->variant = WAIT_EACH;
	else if (finding->most_ns >= TAIL_LONG * finding->median_ns)
		finding->variant = WAIT_UNEVEN;
	else if (finding->mean_tasks < 2)
		finding->variant = WAIT_EACH;
	else if (finding->mean_tasks < WAIT_FEW_TASKS * finding->n_workers)
		finding->variant = WAIT_FEW;
	else
		finding->variant = WAIT_OTHERS;
}

static int find_ends(const struct clues *clues, struct findings *findings,
		     const struct cause *cause)
{
	uint32_t n_workers = clues->dag->n_workers;
	uint64_t work = clues->breakdown->total.work_ns;

	for (uint32_t i = 0; i < clues->n_parts; i++) {
		const struct part *part = &clues->part[i];
		struct finding *finding;

		if ((part->role != ROLE_LEAF && part->role != ROLE_TEAM) ||
		    cause_of_end(clues, part) != cause || !is_worth(clues, &part->loss))
			continue;
		finding = part_add(findings, cause, clues, part);
		if (!finding)
			return -1;
		finding->n = part->n_waits;
		finding->n_tasks = clues->facts[part->kind].n_begun;
		finding->median_ns = clues->facts[part->kind].median_ns;
		finding->bound_ns = n_workers ? work / n_workers : 0;
		if (finding->bound_ns < finding->most_ns)
			finding->bound_ns = finding->most_ns;
		finding->aim_ns = part->alone_ns == UINT64_MAX ? finding->from_ns : part->alone_ns;
		if (cause == &cause_tail) {
			finding->variant = tail_variant(clues, part->longest);
			finding->n_long = n_as_long(&clues->kind[part->kind], finding->most_ns);
		}
		if (part->wait && (cause == &cause_wait || cause == &cause_imbalance))
			finding->site = clues->dag->wait[part->wait].site;
		if (cause == &cause_imbalance)
			finding->n_moves = part->n_moves;
		if (cause == &cause_wait)
			look_at_wait(clues, part, finding);
		finding->other = part->kind;
		finding->cost_ns = clues->elapsed_ns;
	}
	return 0;
}

static int find_tail(const struct clues *clues, struct findings *findings)
{
	return find_ends(clues, findings, &cause_tail);
}
static int find_coarse(const struct clues *clues, struct findings *findings)
{
	return find_ends(clues, findings, &cause_coarse);
}
static int find_wait(const struct clues *clues, struct findings *findings)
{
	return find_ends(clues, findings, &cause_wait);
}
static int find_imbalance(const struct clues *clues, struct findings *findings)
{
	return find_ends(clues, findings, &cause_imbalance);
}

/* The only task of its kind. */
static void say_only(const struct finding *finding, const char *bound, char *what, char *advice)
{
	char from[UNITS_TIME], to[UNITS_TIME], alone[UNITS_TIME], most[UNITS_TIME];

	snprintf(what, FINDING_TEXT,
		 "its only task ran alone from %s to %s: it took %s, and began late, at %s, behind "
		 "others",
		 units_time(alone, finding->aim_ns), units_time(to, finding->to_ns),
		 units_time(most, finding->most_ns), units_time(from, finding->from_ns));
	snprintf(
		advice, FINDING_TEXT,
		"begin it first: create it first, or give it a priority (OpenMP heeds priority() "
		"up to OMP_MAX_TASK_PRIORITY, which is 0 unless it is set), or split it; no run of "
		"these tasks on %u workers is shorter than %s",
		finding->n_workers, bound);
}

static void say_tail(const struct finding *finding, const struct finding_names *names, char *what,
		     char *advice)
{
	char from[UNITS_TIME], to[UNITS_TIME], alone[UNITS_TIME], most[UNITS_TIME],
		median[UNITS_TIME], bound[UNITS_TIME];
	bool late = finding->variant == TAIL_LATE;
	char as_long[60] = "";

	(void)names;
	units_time(bound, finding->bound_ns);
	if (finding->n_tasks == 1) {
		say_only(finding, bound, what, advice);
		return;
	}
	if (finding->n_long > 1)
		snprintf(as_long, sizeof(as_long), "; %llu took half of that or more",
			 (unsigned long long)finding->n_long);
	snprintf(
		what, FINDING_TEXT,
		"one of its %llu tasks ran alone from %s to %s: it took %s (median %s%s) and began "
		"%sat %s",
		(unsigned long long)finding->n_tasks, units_time(alone, finding->aim_ns),
		units_time(to, finding->to_ns), units_time(most, finding->most_ns),
		units_time(median, finding->median_ns), as_long, late ? "late, " : "",
		units_time(from, finding->from_ns));
	snprintf(advice, FINDING_TEXT, "%s; no run of these tasks on %u workers is shorter than %s",
		 late ? "begin the long ones first (create them first, or priority), or split them"
		      : "split it: it began early, and is still the last to end",
		 finding->n_workers, bound);
}

static void say_coarse(const struct finding *finding, const struct finding_names *names, char *what,
		       char *advice)
{
	char tasks[160], most[UNITS_TIME], lost[UNITS_TIME];
	uint64_t n = finding->n_tasks, p = finding->n_workers;

	names->kind(names->context, finding->other, tasks, sizeof(tasks));
	snprintf(what, FINDING_TEXT,
		 "%llu task%s (%s) %s too few or too long for %u workers: at the end the last took "
		 "%s, with %.1f of them busy",
		 (unsigned long long)n, units_s(n), tasks, n == 1 ? "is" : "are",
		 finding->n_workers, units_time(most, finding->most_ns), finding->share);
	snprintf(advice, FINDING_TEXT,
		 "split them: with %llu tasks the end would cost at most a tenth as much; up to %s "
		 "of elapsed",
		 (unsigned long long)(n > 10 * p ? 10 * n : 10 * p),
		 units_time(lost, finding->elapsed_ns));
}

static void say_wait(const struct finding *finding, const struct finding_names *names, char *what,
		     char *advice)
{
	char tasks[160], each[UNITS_TIME], times[UNITS_TIMES], most[UNITS_TIME], median[UNITS_TIME],
		more[300] = "";
	uint64_t each_ns = finding->n ? finding->elapsed_ns / finding->n : 0;

	names->kind(names->context, finding->other, tasks, sizeof(tasks));
	snprintf(what, FINDING_TEXT,
		 "%s this wait held back what comes next until the last task (%s) had "
		 "ended, for %s of elapsed%s, with %.1f of %u workers busy",
		 units_times(times, finding->n), tasks, units_time(each, each_ns),
		 finding->n > 1 ? " each" : "", finding->share, finding->n_workers);
	switch (finding->variant) {
	case WAIT_BELOW:
		snprintf(more, sizeof(more),
			 "taskwait instead of the taskgroup, if what comes next does not need that "
			 "task: the one that waits did not create it, a task below did; else ");
		break;
	case WAIT_EACH:
		snprintf(more, sizeof(more),
			 "wait once, after all of them: it waits for each task before it "
			 "creates the next one; else ");
		break;
	case WAIT_FEW:
		snprintf(more, sizeof(more),
			 "split these tasks: %.1f are begun from one wait to the next, for %u "
			 "workers; "
			 "with ten a worker, others would idle for about a tenth as long; or ",
			 finding->mean_tasks, finding->n_workers);
		break;
	case WAIT_UNEVEN:
		snprintf(
			more, sizeof(more),
			"begin the long ones first, or split them: the last took %s, the median is "
			"%s; or ",
			units_time(most, finding->most_ns), units_time(median, finding->median_ns));
		break;
	default:
		break;
	}
	snprintf(advice, FINDING_TEXT,
		 "%slet each next task wait only for those that it needs: depend() instead of the "
		 "wait, or one taskgroup around all rounds where they are independent",
		 more);
}

#define TURNS 4u /* of so many times, at least one is another worker's than the one before */
static void say_imbalance(const struct finding *finding, const struct finding_names *names,
			  char *what, char *advice)
{
	char tasks[160], each[UNITS_TIME], times[UNITS_TIMES], turns[80] = "";
	uint64_t each_ns = finding->n ? finding->elapsed_ns / finding->n : 0;
	bool in_turns = finding->n >= REPEATED && TURNS * finding->n_moves >= finding->n;

	names->kind(names->context, finding->other, tasks, sizeof(tasks));
	if (in_turns)
		snprintf(turns, sizeof(turns), "; %llu times that was another worker than before",
			 (unsigned long long)finding->n_moves);
	snprintf(
		what, FINDING_TEXT,
		"%s the others waited at this barrier for the last one (%s), %s of elapsed%s, with "
		"%.1f of %u workers busy%s",
		units_times(times, finding->n), tasks, units_time(each, each_ns),
		finding->n > 1 ? " each" : "", finding->share, finding->n_workers, turns);
	snprintf(advice, FINDING_TEXT,
		 "%sshare the work out evenly: schedule(dynamic) or (guided), smaller chunks, "
		 "tasks%s",
		 in_turns
			 ? "leave this barrier out where what follows does not need it (nowait), "
			   "or meet less often: who is late changes, so that it may even out; else "
			 : "",
		 in_turns ? "" : "; nowait where the next loop does not need this one");
}

const struct cause cause_tail = {
	{ "tail", "last big task",
	  "Near a wait one long task is left over, since it began late; the others have nothing to "
	  "do until it ends.",
	  "The ready path runs the task, at least twice as long as the median of its kind, up to a "
	  "wait, and nothing is ready for the other workers.",
	  "Begin the long tasks first: create them first, or give them a priority; or split "
	  "them." },
	.find = find_tail,
	.say = say_tail,
};

const struct cause cause_coarse = {
	{ "coarse", "tasks too coarse",
	  "There are too few tasks for the workers: in the last round some have nothing to do.",
	  "The ready path runs one of the last tasks before a wait, which is no longer than others "
	  "of its kind, and nothing is ready for the other workers.",
	  "Split the work into more and smaller tasks, at least ten for each worker." },
	.find = find_coarse,
	.say = say_coarse,
};

const struct cause cause_wait = {
	{ "wait", "a wait that holds back",
	  "A wait comes again and again.  Each time workers have nothing to do until the last task "
	  "before it has ended, although the next tasks may not need that one.",
	  "At least 3 waits at one place, none with half of the loss, each with idle workers while "
	  "the last tasks run.",
	  "Let the next tasks wait only for those that they need (depend()), or move the wait to "
	  "the end (taskgroup)." },
	.find = find_wait,
	.say = say_wait,
};

const struct cause cause_imbalance = {
	{ "imbalance", "imbalance at a barrier",
	  "The members of a team come to a barrier at different times, and wait for the last one.",
	  "The ready path runs the last member, or the last tasks, before the barrier, others had "
	  "work before it, and nothing is ready for them.",
	  "Share the work out evenly: dynamic schedule, smaller chunks, tasks; nowait.  Where "
	  "members are last in turns: fewer barriers." },
	.find = find_imbalance,
	.say = say_imbalance,
};
