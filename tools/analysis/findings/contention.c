/* SPDX-License-Identifier: MIT */
/* contention.c - tasks that meet inside their code, at a lock that the recorder does not see. */
#include <string.h>

#include "tools/analysis/findings/cause.h"

#define SURE_SAMPLES 16u /* of n independent samples the error is 1/sqrt(n): a quarter */

static const struct wording ways[SPOTS] = {
	[SPOT_LOCK] = { "lock", "",
			"take that lock less often: gather what a task finds in memory of its own, "
			"and merge that once; or divide what it guards, and give each part a "
			"lock" },
	[SPOT_RAND] = { "rand", "",
			"one lock of libc guards the state of rand() and random(): give each task "
			"a generator of its own (rand_r(), random_r(), std::mt19937)" },
	[SPOT_ALLOCATOR] = { "allocator", "",
			     "allocate once for a task or a worker, and use that again; or let the "
			     "allocator have more arenas (MALLOC_ARENA_MAX), or take one with "
			     "caches for each thread" },
};

bool contention_is_found(const struct findings *findings, kind_id kind)
{
	for (uint32_t i = 0; i < findings->n; i++)
		if (findings->finding[i].kind == kind &&
		    findings->finding[i].id == cause_contention.about.id)
			return true;
	return false;
}

static void find_contention(struct ledger *ledger, struct findings *findings,
			    const struct cause *cause)
{
	const struct kind_spots *spots = ledger->clues->spots;

	for (uint32_t i = 0; spots && i < spots->n; i++) {
		const struct kind_spot *spot = &spots->spot[i];
		uint64_t ns = spot->n_together * spots->period_ns + spot->asleep_ns;
		struct loss loss = { .ns = (double)ns };
		struct finding *finding;

		if (spot->n_together < SURE_SAMPLES)
			continue;
		finding = finding_add(findings, cause, ledger, &loss, spot->kind);
		if (!finding)
			continue;
		finding->in_work_ns = finding->lost_ns;
		finding->variant = spot->spot;
		FACTS(finding, fact_string("variant", ways[spot->spot].name),
		      fact_string("function", spot->function),
		      fact_share("of_cpu", (double)spot->n / (double)spot->n_kind),
		      fact_share("together", (double)spot->n_together / (double)spot->n));
		if (spot->place[0])
			FACTS(finding, fact_string("caller", spot->place));
		if (spot->asleep_ns)
			FACTS(finding, fact_ns("slept", spot->asleep_ns));
	}
}

static void say_contention(const struct finding *finding, struct sentence *what,
			   struct sentence *advice)
{
	static const char *const for_what[SPOTS] = { [SPOT_LOCK] = "for a lock",
						     [SPOT_RAND] = "for libc's lock of rand()",
						     [SPOT_ALLOCATOR] =
							     "for the allocator's lock" };

	say(what, "{of_cpu} of the CPU time of these tasks is in {function}, ");
	say(what, for_what[finding->variant]);
	if (fact_of(finding, "caller"))
		say(what, "; it is called from {caller}");
	say(what, "\nin {together} of these samples another worker was there, too");
	if (fact_of(finding, "slept"))
		say(what, "; besides, they slept there for {slept}");
	(void)advice;
}

const struct cause cause_contention = {
	{ "contention", "contention inside tasks",
	  "Tasks that run side by side meet at a lock inside their code, which the recorder does "
	  "not see: one of the program's, of the allocator, or of a function like rand().",
	  "Stack samples of the tasks are in functions that take or await such a lock, at least 16 "
	  "of them while another worker's last sample was there, too.  Lost: the CPU time that "
	  "these "
	  "stand for, and what the tasks slept there; it is part of the work.",
	  "Give each task what it needs of its own, and merge it once; take the lock for larger "
	  "pieces.  A generator of random numbers for each task; fewer calls of the allocator." },
	.find = find_contention,
	.ways = ways,
	.say = say_contention,
};
