/* SPDX-License-Identifier: MIT */
/* contention.c - tasks that meet inside their code, where the recorder does not see them. */
#include <string.h>

#include "tools/analysis/findings/cause.h"
#include "tools/base/base_name.h"

enum { WAY_COUNTED = SPOTS, WAY_LIBRARY, WAY_INSIDE, WAYS }; /* beside those of spots */

static const struct wording ways[WAYS] = {
	[SPOT_LOCK] = { "lock", "for a lock",
			"take that lock less often: gather what a task finds in memory of its own, "
			"and merge that once; or divide what it guards, and give each part a "
			"lock" },
	[SPOT_RAND] = { "rand", "for libc's lock of rand()",
			"one lock of libc guards the state of rand() and random(): give each task "
			"a generator of its own (rand_r(), random_r(), std::mt19937)" },
	[SPOT_ZONE] = { "time zone", "for libc's lock of the time zone",
			"one lock of libc guards the time zone: compute with seconds or "
			"std::chrono, and call localtime(), gmtime() and mktime() once for many "
			"items" },
	[SPOT_ALLOCATOR] = { "allocator", "for the allocator's lock",
			     "allocate once for a task or a worker, and use that again; or let the "
			     "allocator have more arenas (MALLOC_ARENA_MAX), or take one with "
			     "caches for each thread" },
	[SPOT_ATOMIC] = { "atomic", "for an atomic operation on memory that others change, too",
			  "change it less often: count in a variable of the task's own, and add "
			  "that once at its end; of a spin lock, hold it for less, or take a "
			  "mutex; "
			  "pass references instead of counted pointers (shared_ptr)" },
	[WAY_COUNTED] = { "shared pointer",
			  "for the count of a std::shared_ptr that others copy, too",
			  "pass it by reference, or what it points to: each copy counts for all; "
			  "one copy for each task keeps it alive" },
	[WAY_LIBRARY] = { "library", "for a container or lock of {header} that others use, too",
			  "use it less often: gather what a task finds in memory of its own, and "
			  "merge that once; of a container, spread what is used at once over more "
			  "elements; of a lock, hold it for less" },
	[WAY_INSIDE] = { "inside", "for a lock or a counter of the library's own",
			 "call it less often: once for many items, and keep what it returns" },
	[SPOT_LINE] = { "cache line", "for a cache line that others write",
			"give each task or worker memory of its own: 64 bytes apart if they use "
			"different variables (alignas(64)); a local variable that is stored once "
			"at the end" },
	[SPOT_SPIN] = { "spin", "in a loop that only waits for another thread",
			"let it wait in the runtime (taskwait, depend), where its worker may run "
			"other tasks; for a spin lock: hold it for less, or take a mutex" },
};

/* What a library changes atomically or waits for is no variable of the program's own. */
static bool is_of_library(const struct kind_spot *spot)
{
	const char *header = path_base(spot->header);

	return header && strncmp(header, "atomic", strlen("atomic")) != 0 &&
	       (spot->spot == SPOT_ATOMIC || spot->spot == SPOT_SPIN);
}

static unsigned way_of(const struct kind_spot *spot)
{
	if (spot->spot == SPOT_ATOMIC && spot->counts)
		return WAY_COUNTED;
	if (is_of_library(spot))
		return WAY_LIBRARY;
	return spot->spot == SPOT_ATOMIC && !spot->is_own ? WAY_INSIDE : spot->spot;
}

static void find_contention(struct ledger *ledger, struct findings *findings,
			    const struct cause *cause)
{
	const struct kind_spots *spots = ledger->clues->spots;

	for (uint32_t i = 0; spots && i < spots->n; i++) {
		struct kind_spot spot;
		struct finding *finding;

		if (!spot_sum(spots, i, &spot) || spot_place(ledger->clues, &spot))
			continue;
		spot_claim(ledger, &spot);
		finding = finding_claim(findings, cause, ledger, spot.kind);
		if (!finding)
			continue;
		finding->variant = way_of(&spot);
		FACTS(finding, fact_string("variant", ways[finding->variant].name));
		if (finding->variant == WAY_LIBRARY)
			FACTS(finding, fact_string("header", path_base(spot.header)));
		spot_facts(spots, i, finding);
		if (spot.spot != SPOT_SPIN)
			FACTS(finding,
			      fact_share("together",
					 (double)spot.n_together / (double)spots->spot[i].n),
			      fact_share("apart", (double)spot.n_apart / (double)spot.n_together));
	}
}

#define MOSTLY .5
static void say_contention(const struct finding *finding, struct sentence *what,
			   struct sentence *advice)
{
	const struct fact *apart = fact_of(finding, "apart");

	say(what, "{of_cpu} of the CPU time of these tasks is ");
	say(what, fact_of(finding, "at") ? "at {at}, " : "in {function}");
	if (fact_of(finding, "caller"))
		say(what, ", called from {caller}, ");
	else if (!fact_of(finding, "at"))
		say(what, ", ");
	say(what, ways[finding->variant].what);
	if (finding->variant == SPOT_LINE && apart && apart->real > MOSTLY)
		say(what, ": not the same variable (false sharing)");
	else if (finding->variant != SPOT_SPIN && apart)
		say(what, "\nanother worker was there at about the same time");
	if (fact_of(finding, "slept"))
		say(what, "; besides, they slept there for {slept}");
	say(advice, ways[finding->variant].advice);
}

const struct cause cause_contention = {
	{ "contention", "contention inside tasks",
	  "Tasks that run side by side meet inside their code, where the recorder does not see "
	  "them.  They meet at a lock of the program, of the allocator, or of a function like "
	  "rand(); at an atomic variable or another cache line that they all write.  Or they wait "
	  "in a loop for another thread.",
	  "At least 16 stack samples of the tasks are in such a loop, in a function that takes a "
	  "lock, or just behind an instruction that uses memory.  But for the loop, another worker "
	  "used the same lock or atomic variable within the last 10 sample periods, or within its "
	  "last 10 samples if it has no CPU.  Or it used the same cache line within the last "
	  "period, and one of both wrote it.  Lost: the part of "
	  "the CPU time that these samples have, and what the tasks slept there; it is part of the "
	  "work.",
	  "Give each task what it needs of its own, and merge it once; take the lock for larger "
	  "pieces.  A generator of random numbers for each task; fewer calls of the allocator; "
	  "variables of different workers 64 bytes apart." },
	.find = find_contention,
	.say = say_contention,
	.is_stretch = true,
};
