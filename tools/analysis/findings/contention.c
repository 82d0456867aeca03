/* SPDX-License-Identifier: MIT */
/* contention.c - tasks that meet inside their code, where the recorder does not see them. */
#include "tools/analysis/findings/cause.h"

static const struct wording ways[SPOTS] = {
	[SPOT_LOCK] = { "lock", "for a lock",
			"take that lock less often: gather what a task finds in memory of its own, "
			"and merge that once; or divide what it guards, and give each part a "
			"lock" },
	[SPOT_RAND] = { "rand", "for libc's lock of rand()",
			"one lock of libc guards the state of rand() and random(): give each task "
			"a generator of its own (rand_r(), random_r(), std::mt19937)" },
	[SPOT_ALLOCATOR] = { "allocator", "for the allocator's lock",
			     "allocate once for a task or a worker, and use that again; or let the "
			     "allocator have more arenas (MALLOC_ARENA_MAX), or take one with "
			     "caches for each thread" },
	[SPOT_ATOMIC] = { "atomic", "for an atomic operation on memory that others change, too",
			  "count in a variable of the task's own, and add that once at its end; "
			  "pass references instead of counted pointers (shared_ptr)" },
	[SPOT_LINE] = { "cache line", "for a cache line that others write",
			"give each task or worker memory of its own: 64 bytes apart if they use "
			"different variables (alignas(64)); a local variable that is stored once "
			"at the end" },
	[SPOT_SPIN] = { "spin", "in a loop that only waits for another thread to store",
			"let it wait in the runtime (taskwait, depend), where its worker may run "
			"other tasks; for a spin lock: hold it for less, or take a mutex" },
};

double samples_ns(const struct clues *clues, uint64_t n)
{
	return spots_ns(clues->spots, n, clues->machine_rows->total.cpu_ns);
}

/* Of the samples in which the kind's tasks slept. */
static double share_asleep(const struct kind_spot *spot)
{
	return spot->asleep_kind_ns ? (double)spot->asleep_ns / (double)spot->asleep_kind_ns : 0;
}

/* Samples that count: a loop that waits does nothing else, whoever is there. */
static uint64_t n_lost(const struct kind_spot *spot)
{
	return spot->spot == SPOT_SPIN ? spot->n : spot->n_together;
}

/* A lock, its word, and what it guards are one cause. */
static bool is_one_cause(const struct kind_spot *a, const struct kind_spot *b)
{
	static const bool memory[SPOTS] = {
		[SPOT_LOCK] = true, [SPOT_ATOMIC] = true, [SPOT_LINE] = true, [SPOT_SPIN] = true
	};

	return a->kind == b->kind && (a == b || (memory[a->spot] && memory[b->spot]));
}

/* All that is one cause with it; false if another of these has more. */
static bool sum_up(const struct kind_spots *spots, const struct kind_spot *spot,
		   struct kind_spot *sum)
{
	*sum = *spot;
	sum->n = sum->n_together = sum->n_apart = sum->asleep_ns = 0;
	for (uint32_t i = 0; i < spots->n; i++) {
		const struct kind_spot *other = &spots->spot[i];

		if (!is_one_cause(spot, other))
			continue;
		if (n_lost(other) > n_lost(spot) || (n_lost(other) == n_lost(spot) && other < spot))
			return false;
		sum->n += n_lost(other);
		sum->n_together += other->n_together;
		sum->n_apart += other->n_apart;
		sum->asleep_ns += other->asleep_ns;
	}
	return true;
}

static void find_contention(struct ledger *ledger, struct findings *findings,
			    const struct cause *cause)
{
	const struct kind_spots *spots = ledger->clues->spots;

	for (uint32_t i = 0; spots && i < spots->n; i++) {
		struct kind_spot spot;
		struct loss *slept;
		struct finding *finding;

		if (!ways[spots->spot[i].spot].name || !sum_up(spots, &spots->spot[i], &spot) ||
		    spot.n < SURE_SAMPLES)
			continue;
		slept = ledger_row(ledger, ROW_WORK_SLEPT, spot.kind);
		claim_part(ledger, ledger_row(ledger, ROW_WORK, spot.kind),
			   samples_ns(ledger->clues, spot.n));
		claim_part(ledger, slept, slept->ns * share_asleep(&spot));
		finding = finding_claim(findings, cause, ledger, spot.kind);
		if (!finding)
			continue;
		finding->variant = spot.spot;
		FACTS(finding, fact_string("variant", ways[spot.spot].name),
		      fact_string("function", spot.function),
		      fact_share("of_cpu", (double)spot.n / (double)spot.n_kind));
		if (spot.spot != SPOT_SPIN)
			FACTS(finding,
			      fact_share("together",
					 (double)spot.n_together / (double)spots->spot[i].n),
			      fact_share("apart", (double)spot.n_apart / (double)spot.n_together));
		if (spot.place[0])
			FACTS(finding,
			      fact_string(spot.is_own ? "at" : "caller", spots->spot[i].place));
		if (spot.asleep_ns)
			FACTS(finding, fact_ns("slept", spot.asleep_ns));
	}
}

#define MOSTLY .5
static void say_contention(const struct finding *finding, struct sentence *what,
			   struct sentence *advice)
{
	const struct fact *apart = fact_of(finding, "apart");

	say(what, "{of_cpu} of the CPU time of these tasks is ");
	say(what, fact_of(finding, "at") ? "at {at}, " : "in {function}, ");
	say(what, ways[finding->variant].what);
	if (fact_of(finding, "caller"))
		say(what, "; it is called from {caller}");
	if (finding->variant == SPOT_LINE && apart && apart->real > MOSTLY)
		say(what, ": not the same variable (false sharing)");
	else if (finding->variant != SPOT_SPIN)
		say(what, "\nanother worker was there, too, within the last samples");
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
	  "used the same lock or atomic variable within the last 10 sample periods.  Or it used "
	  "the "
	  "same cache line within the last one, and one of both wrote it.  Lost: the part of the "
	  "CPU "
	  "time that these samples have, and what the tasks slept there; it is part of the work.",
	  "Give each task what it needs of its own, and merge it once; take the lock for larger "
	  "pieces.  A generator of random numbers for each task; fewer calls of the allocator; "
	  "variables of different workers 64 bytes apart." },
	.find = find_contention,
	.say = say_contention,
	.is_stretch = true,
};
