/* SPDX-License-Identifier: MIT */
/* waits.c - workers or tasks that wait while there is something to do. */
#include <string.h>

#include "tools/analysis/findings/cause.h"
#include "tools/analysis/findings/costs.h"

/* ---- barred at a wait ---- */

#define BARRED_TOOK 10u /* at most one wait in so many ran something else */

static int find_barred(const struct clues *clues, struct findings *findings)
{
	for (uint32_t i = 1; i < clues->dag->n_waits; i++) {
		const struct wait_clues *wait = &clues->wait[i];
		struct finding *finding;

		if (wait->took_others * BARRED_TOOK > wait->n_barred ||
		    !is_worth(clues, &wait->barred))
			continue;
		finding = finding_add(findings, &cause_barred, clues, &wait->barred, wait->kind);
		if (!finding)
			return -1;
		finding->site = clues->dag->wait[i].site;
		finding->n = wait->n_barred;
	}
	return 0;
}

static void say_barred(const struct finding *finding, const struct finding_names *names, char *what,
		       char *advice)
{
	char tasks[160], times[UNITS_TIMES];
	bool is_starpu = strcmp(names->runtime(names->context, finding->kind), "StarPU") == 0;

	names->kind(names->context, finding->kind, tasks, sizeof(tasks));
	snprintf(what, FINDING_TEXT,
		 "%s a worker that waited here (in %s) took nothing until its own children "
		 "had ended elsewhere, although other tasks were ready",
		 units_times(times, finding->n), tasks);
	if (is_starpu) {
		snprintf(
			advice, FINDING_TEXT,
			"StarPU runs no tasks in a thread that waits for some: nothing is lost if "
			"its workers have all CPUs meanwhile (STARPU_NCPU); else a worker more, or "
			"let this thread do a part of the work before it waits");
		return;
	}
	snprintf(advice, FINDING_TEXT,
		 "a runtime may run at a wait only the waiting task's own children (libgomp's "
		 "taskwait), or tasks below it (libomp, if tied): one taskgroup around all tasks, "
		 "or depend(), instead of a wait in each; untied tasks (not libgomp); or more "
		 "children, so that the waiting worker has its own");
}

const struct cause cause_barred = {
	{ "barred", "barred at a wait",
	  "A worker waits for tasks that others run, and may not take the tasks that are ready, "
	  "since they are not below the waiting one.",
	  "The worker runs nothing until its wait is over, while more strands are ready that any "
	  "worker may take than other workers are free.",
	  "Untied tasks where the runtime honours them, fewer waits, more children." },
	.find = find_barred,
	.say = say_barred,
};

/* ---- a task that cannot go on since its worker runs another ---- */

static int find_buried(const struct clues *clues, struct findings *findings)
{
	for (kind_id k = 0; k < clues->dag->n_kinds; k++) {
		const struct kind_clues *seen = &clues->kind[k];
		struct finding *finding;

		if (!is_worth(clues, &seen->lag[LAG_BURIED]))
			continue;
		finding = finding_add(findings, &cause_buried, clues, &seen->lag[LAG_BURIED], k);
		if (!finding)
			return -1;
		finding->other = seen->burial.over;
		finding->worker = seen->burial.worker;
		finding->n = seen->burial.n;
		finding->from_ns = seen->burial.from_ns;
		finding->to_ns = seen->burial.to_ns;
		finding->when = seen->burial.when;
	}
	return 0;
}

static void say_buried(const struct finding *finding, const struct finding_names *names, char *what,
		       char *advice)
{
	char from[UNITS_TIME], to[UNITS_TIME], over[160], times[UNITS_TIMES];

	names->kind(names->context, finding->other, over, sizeof(over));
	snprintf(what, FINDING_TEXT,
		 "%s the task could go on, but its worker was in another one; the longest "
		 "on w%u, which ran %s from %s to %s, while others had nothing to do",
		 units_times(times, finding->n), finding->worker, over,
		 units_time(from, finding->from_ns), units_time(to, finding->to_ns));
	snprintf(advice, FINDING_TEXT,
		 "a tied task goes on only where it began: untied (where the runtime honours it), "
		 "no code behind the wait that others need, or depend() instead of the wait");
}

const struct cause cause_buried = {
	{ "buried", "tied or buried parent",
	  "A task may go on, but only on the worker that it began on, and that one runs another "
	  "task on top of it.",
	  "The task was ready, its worker ran another one and took it up again afterwards, and "
	  "free workers had nothing else.",
	  "Untied tasks where the runtime honours them; depend() instead of a wait." },
	.find = find_buried,
	.say = say_buried,
};
