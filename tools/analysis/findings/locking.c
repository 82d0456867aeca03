/* SPDX-License-Identifier: MIT */
/* locking.c - locks that nobody waits for, but that are taken so often that the calls cost much. */
#include "tools/analysis/findings/cause.h"

enum {
	LOCKING_FREE,
	LOCKING_WAITED, /* of no call that took it free there is an event, as of pthread's */
};

static int find_locking(const struct clues *clues, struct findings *findings)
{
	for (uint32_t i = 1; i < clues->dag->n_waits; i++) {
		const struct wait_clues *wait = &clues->wait[i];
		struct loss loss = calls_at(clues, i);
		struct finding *finding;

		if (loss.ns <= 0 || lock_is_found(clues, i))
			continue;
		finding = finding_add(findings, &cause_locking, clues, &loss, wait->kind);
		if (!finding)
			return -1;
		finding->site = clues->dag->wait[i].site;
		finding->n = wait->n_free + wait->n_lock;
		finding->n_tasks = clues->facts[wait->kind].n_begun;
		finding->variant = wait->n_free ? LOCKING_FREE : LOCKING_WAITED;
		finding->share = finding->n ? (double)wait->n_free / (double)finding->n : 0;
		finding->cost_ns = calls_each_ns(clues, wait->n_calls, wait->calls_ns);
		finding->tracer_ns = calls_tracer_ns(clues);
		finding->median_ns =
			finding->n ? clues->breakdown->kind[wait->kind].work_ns / finding->n : 0;
	}
	return 0;
}

static void say_locking(const struct finding *finding, const struct finding_names *names,
			char *what, char *advice)
{
	char tasks[160], each[24], call[UNITS_TIME], own[UNITS_TIME], work[UNITS_TIME];

	names->kind(names->context, finding->kind, tasks, sizeof(tasks));
	snprintf(each, sizeof(each), "%.*f", finding->n < 10 * finding->n_tasks,
		 finding->n_tasks ? (double)finding->n / (double)finding->n_tasks : 0);
	units_time(call, finding->cost_ns);
	units_time(own, finding->tracer_ns);
	units_time(work, finding->median_ns);
	if (finding->variant == LOCKING_WAITED)
		snprintf(
			what, FINDING_TEXT,
			"others had it %llu times, %s times a task of %s; to release it costs %s "
			"(recording adds %s, which is not counted), and tasks work for %s from one "
			"wait to the next",
			(unsigned long long)finding->n, each, tasks, call, own, work);
	else
		snprintf(what, FINDING_TEXT,
			 "taken %llu times, %s times a task of %s, and free in %.*f %% of them; to "
			 "take or to release it costs %s (recording adds %s, which is not "
			 "counted), and tasks work for %s from one time to the next",
			 (unsigned long long)finding->n, each, tasks, finding->share < .995,
			 100 * finding->share, call, own, work);
	snprintf(advice, FINDING_TEXT,
		 "take it once for several items, use an atomic operation, or gather in a copy of "
		 "the task's own and merge that once%s",
		 finding->variant == LOCKING_WAITED
			 ? ""
			 : "; no lock at all where no other task comes to the data");
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
