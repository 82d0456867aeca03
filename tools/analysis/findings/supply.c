/* SPDX-License-Identifier: MIT */
/* supply.c - tasks that come too slowly, or too late, from whoever creates them. */
#include <stdlib.h>

#include "tools/analysis/findings/cause.h"
#include "tools/analysis/findings/costs.h"
#include "tools/base/at_most.h"
#include "tools/base/xalloc.h"

/* ---- children held until their creator waits ---- */

#define HELD_TASKS 2u
#define HELD_EARLY 20u /* at most one in so many began before */
#define HELD_TAKEN 8u  /* and at least one in so many on another worker than it was created on */

/* Whether tasks of the kind begin only once their creator waits. */
static bool is_held(const struct clues *clues, kind_id kind)
{
	const struct kind_clues *seen = &clues->kind[kind];

	return seen->n_held >= HELD_TASKS && seen->n_held > HELD_EARLY * seen->n_early &&
	       HELD_TAKEN * seen->n_stolen >= seen->n_held;
}

static void find_held(struct ledger *ledger, struct findings *findings, const struct cause *cause)
{
	const struct clues *clues = ledger->clues;

	for (kind_id k = 0; k < clues->dag->n_kinds; k++) {
		struct finding *finding;

		if (!is_held(clues, k))
			continue;
		claim(ledger, ledger_lag(ledger, k, LAG_HELD));
		finding = finding_claim(findings, cause, ledger, k);
		if (finding)
			FACTS(finding, fact_count("held_back", clues->kind[k].n_held),
			      fact_count("tasks", clues->facts[k].n_begun),
			      fact_kind("creator", clues->kind[k].creator));
	}
}

const struct cause cause_held = {
	{ "held", "children held back",
	  "The runtime lets new tasks begin only when the task that creates them waits or ends.  "
	  "Until then other workers have nothing to do, although there are tasks.",
	  "Nearly all tasks of the kind (more than 20 of 21) began after their creator's wait.  "
	  "Lost: the time up to that wait in which a free worker could have run them.",
	  "Create tasks early and wait soon; make the creator's own share a task, too; use a "
	  "runtime that starts tasks at once." },
	.what = "{held_back} of {tasks} tasks began only once their creator, {creator}, came to a "
		"wait, while other workers had nothing to do",
	.advice = "create these tasks before the creator's own work, not after it, and wait soon; "
		  "create a task for the creator's own part, too; or use a runtime that starts "
		  "tasks at once",
	.find = find_held,
};

/* ---- one producer ---- */

#define PRODUCER_SHARE .8
#define STEAL_MOST_NS 200000u /* what takes longer slept, or had no CPU */
#define FEEDS_MOST 4	      /* times as many workers as there are */
#define STEALING_SHARE .5     /* of the loss is that each steal takes long, not that a few do */

/* What a creator of tasks of a kind did: its own code between creations, and the calls. */
struct creation {
	kind_id owner;
	uint64_t n; /* stretches of its own code */
	double path_ns;
};

static const struct wording ways[] = {
	[PRODUCER_SLOW] = { "slow",
			    "one task creates {created} tasks ({task}), one every {own} of its own "
			    "code and {create} in the runtime; a task works for {task_work}, so "
			    "this feeds {feeds} further workers of {other_workers}",
			    "move work from the creating loop into the tasks, or let several tasks "
			    "create (taskloop, or split the range in two again and again)" },
	[PRODUCER_HOLDS] = { "holds",
			     "one task creates {created} tasks ({task}); {steals:times} another "
			     "worker had to take one from there, which took {steal} (median) for "
			     "{task_work} of work, while tasks were ready",
			     "let several tasks create: split the range in two again and again "
			     "(taskloop, parallel_for), so that one steal takes many tasks" },
	[PRODUCER_STOLEN] = { "stolen",
			      "one loop creates {created} tasks ({task}), and only one worker at a "
			      "time can go on with it: {steals:times} it was stolen after a "
			      "creation, which took {steal} (median), for tasks of {task_work}",
			      "split the range in two again and again instead of one loop, so that "
			      "several workers create; or larger tasks" },
};

/* By kind of the tasks, freed by the caller. */
static struct creation *creations_of(const struct clues *clues)
{
	struct creation *creation = xcalloc(clues->dag->n_kinds + 1ull, sizeof(*creation));

	for (kind_id k = 0; k < clues->dag->n_kinds; k++)
		creation[k].owner = clues->kind[k].creator;
	for (uint32_t i = 0; i < clues->n_parts; i++) {
		const struct part *part = &clues->part[i];
		struct creation *of = &creation[part->kind];

		if (part->role != ROLE_PRODUCER)
			continue;
		of->owner = part->owner;
		of->n += part->n;
		of->path_ns += part->path_ns;
	}
	return creation;
}

static void find_slow(struct ledger *ledger, struct findings *findings, const struct cause *cause,
		      kind_id k, const struct creation *own)
{
	const struct clues *clues = ledger->clues;
	const struct kind_clues *seen = &clues->kind[k];
	bool stolen = 2 * seen->n_loop_stolen >= seen->most_created;
	uint64_t cost = cost_median(seen, stolen ? COST_LOOP : COST_CALL);
	uint64_t each = own->n ? (uint64_t)(own->path_ns / (double)own->n) : 0;
	double most = FEEDS_MOST * (double)(clues->dag->n_workers - 1);
	struct finding *finding;
	double n_fed;

	claim(ledger, ledger_lag(ledger, k, LAG_CALL));
	claim(ledger, ledger_row(ledger, ROW_PRODUCER, k));
	cost -= at_most(2 * clues->between_ps / 1000, cost);
	n_fed = each + cost ? (double)grain_work(clues, k) / (double)(each + cost) : 0;
	if (seen->most_created < PRODUCER_TASKS ||
	    (!stolen && (double)grain_work(clues, k) > most * (double)(each + cost)))
		claim_drop(ledger); /* a few of its calls took long, as it slept or had no CPU */
	finding = finding_claim(findings, cause, ledger, own->owner);
	if (!finding)
		return;
	finding->variant = stolen ? PRODUCER_STOLEN : PRODUCER_SLOW;
	FACTS(finding, fact_string("variant", ways[finding->variant].name),
	      fact_count("created", seen->most_created), fact_kind("task", k),
	      fact_ns("task_work", grain_work(clues, k)),
	      fact_ns(stolen ? "steal" : "create", cost));
	if (stolen)
		FACTS(finding, fact_count("steals", seen->n_loop_stolen));
	else
		FACTS(finding, fact_ns("own", each), fact_real("feeds", n_fed),
		      fact_count("other_workers", finding->n_workers - 1));
}

/* One task made most of them; who is free has to take them from its worker, one by one. */
static void find_holder(struct ledger *ledger, struct findings *findings, const struct cause *cause,
			kind_id k)
{
	const struct clues *clues = ledger->clues;
	const struct kind_clues *seen = &clues->kind[k];
	uint64_t steal = cost_median(seen, COST_STEAL);
	struct finding *finding;

	claim(ledger, ledger_lag(ledger, k, LAG_BEGIN));
	claim(ledger, ledger_lag(ledger, k, LAG_HELD));
	if (seen->one_creator.ns < PRODUCER_SHARE * ledger->claim.ns ||
	    seen->most_created < PRODUCER_TASKS || steal > STEAL_MOST_NS ||
	    (double)(seen->n_stolen * steal) < STEALING_SHARE * ledger->claim.ns)
		claim_drop(ledger);
	finding = finding_claim(findings, cause, ledger, seen->creator);
	if (!finding)
		return;
	finding->variant = PRODUCER_HOLDS;
	FACTS(finding, fact_string("variant", ways[PRODUCER_HOLDS].name),
	      fact_count("created", seen->most_created), fact_kind("task", k),
	      fact_count("steals", seen->n_stolen), fact_ns("steal", steal),
	      fact_ns("task_work", grain_work(clues, k)));
}

static void find_producer(struct ledger *ledger, struct findings *findings,
			  const struct cause *cause)
{
	struct creation *creation = creations_of(ledger->clues);

	for (kind_id k = 0; k < ledger->clues->dag->n_kinds; k++) {
		find_slow(ledger, findings, cause, k, &creation[k]);
		find_holder(ledger, findings, cause, k);
	}
	free(creation);
}

const struct cause cause_producer = {
	{ "producer", "one producer",
	  "One task creates all the others, and cannot do so as fast as the workers finish them.  "
	  "Or all tasks lie at one worker, and the others cannot take them fast enough.",
	  "At least 10 creations of one task follow each other on the ready path, and others have "
	  "nothing to do meanwhile.  Or at least 80 % of the time for which tasks were ready "
	  "beside free workers is that of tasks of one creator.  The tasks are long enough for "
	  "what they cost (else see fine).",
	  "Move work from the creating loop into the tasks; let several tasks create: taskloop, "
	  "recursive splitting, several producers." },
	.find = find_producer,
	.ways = ways,
};
