/* SPDX-License-Identifier: MIT */
/* supply.c - tasks that come too slowly, or too late, from whoever creates them. */
#include <stdlib.h>

#include "tools/analysis/findings/cause.h"
#include "tools/analysis/findings/costs.h"
#include "tools/analysis/findings/variants.h"
#include "tools/base/at_most.h"

/* ---- children held until their creator waits ---- */

#define HELD_TASKS 2u
#define HELD_EARLY 20u /* at most one in so many began before */
#define HELD_TAKEN 8u  /* and at least one in so many on another worker than it was created on */

bool supply_is_held(const struct clues *clues, kind_id kind)
{
	const struct kind_clues *seen = &clues->kind[kind];

	return seen->n_held >= HELD_TASKS && seen->n_held > HELD_EARLY * seen->n_early &&
	       HELD_TAKEN * seen->n_stolen >= seen->n_held;
}

static int find_held(const struct clues *clues, struct findings *findings)
{
	for (kind_id k = 0; k < clues->dag->n_kinds; k++) {
		const struct loss *loss = &clues->kind[k].lag[LAG_HELD];
		struct finding *finding;

		if (!supply_is_held(clues, k) || grain_is_fine(clues, k) || !is_worth(clues, loss))
			continue;
		finding = finding_add(findings, &cause_held, clues, loss, k);
		if (!finding)
			return -1;
		FACTS(finding, fact_count("held_back", clues->kind[k].n_held),
		      fact_count("tasks", clues->facts[k].n_begun),
		      fact_kind("creator", clues->kind[k].creator));
	}
	return 0;
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
		"wait, "
		"while other workers had nothing to do",
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

/* What a creator of tasks of a kind took: its own code between creations, and the calls.  Others
 * had nothing to do. */
struct creation {
	struct loss loss;
	kind_id owner;
	uint64_t n; /* stretches of its own code */
	double path_ns;
};

static const struct wording ways[] = {
	[PRODUCER_SLOW] = { "slow",
			    "one task creates {created} tasks ({task}), one every {own} of its own "
			    "code and "
			    "{create} in the runtime; a task works for {task_work}, so this feeds "
			    "{feeds} "
			    "further "
			    "workers of {other_workers}",
			    "move work from the creating loop into the tasks, or let several tasks "
			    "create "
			    "(taskloop, or split the range in two again and again)" },
	[PRODUCER_HOLDS] = { "holds",
			     "one task creates {created} tasks ({task}); {steals:times} another "
			     "worker had to "
			     "take one from there, which took {steal} (median) for {task_work} of "
			     "work, "
			     "while tasks "
			     "were ready",
			     "let several tasks create: split the range in two again and again "
			     "(taskloop, "
			     "parallel_for), so that one steal takes many tasks" },
	[PRODUCER_STOLEN] = { "stolen",
			      "one loop creates {created} tasks ({task}), and only one worker at a "
			      "time can go "
			      "on with it: {steals:times} it was stolen after a creation, which "
			      "took {steal} "
			      "(median), for tasks of {task_work}",
			      "split the range in two again and again instead of one loop, so that "
			      "several "
			      "workers create; or larger tasks" },
};

/* By kind of the tasks, freed by the caller; NULL if out of memory. */
static struct creation *creations_of(const struct clues *clues)
{
	struct creation *creation = calloc(clues->dag->n_kinds + 1ull, sizeof(*creation));

	for (kind_id k = 0; creation && k < clues->dag->n_kinds; k++)
		creation[k] = (struct creation){ .loss = clues->kind[k].lag[LAG_CALL],
						 .owner = clues->kind[k].creator };
	for (uint32_t i = 0; creation && i < clues->n_parts; i++) {
		const struct part *part = &clues->part[i];
		struct creation *of;

		if (part->role != ROLE_PRODUCER)
			continue;
		of = &creation[part->kind];
		loss_add(&of->loss, &part->loss);
		of->owner = part->owner;
		of->n += part->n;
		of->path_ns += part->path_ns;
	}
	return creation;
}

static int find_slow(const struct clues *clues, struct findings *findings, kind_id k,
		     const struct creation *own)
{
	const struct kind_clues *seen = &clues->kind[k];
	bool stolen = 2 * seen->n_loop_stolen >= seen->most_created;
	uint64_t cost = cost_median(seen, stolen ? COST_LOOP : COST_CALL);
	uint64_t each = own->n ? (uint64_t)(own->path_ns / (double)own->n) : 0;
	struct finding *finding;
	double n_fed;

	cost -= at_most(2 * clues->between_ps / 1000, cost);
	n_fed = each + cost ? (double)grain_work(clues, k) / (double)(each + cost) : 0;
	if (seen->most_created < PRODUCER_TASKS || !is_worth(clues, &own->loss) ||
	    (!stolen && (double)grain_work(clues, k) > FEEDS_MOST *
							       (double)(clues->dag->n_workers - 1) *
							       (double)(each + cost)))
		return 0; /* else a few of its calls took long, as it slept or had no CPU */
	finding = finding_add(findings, &cause_producer, clues, &own->loss, own->owner);
	if (!finding)
		return -1;
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
	return 0;
}

/* One task made most of them; who is free has to take them from its worker, one by one. */
static int find_holder(const struct clues *clues, struct findings *findings, kind_id k)
{
	const struct kind_clues *seen = &clues->kind[k];
	struct loss loss = seen->lag[LAG_BEGIN];
	struct finding *finding;

	if (!supply_is_held(clues, k))
		loss_add(&loss, &seen->lag[LAG_HELD]);
	if (seen->one_creator.ns < PRODUCER_SHARE * loss.ns ||
	    seen->most_created < PRODUCER_TASKS || !is_worth(clues, &loss) ||
	    cost_median(seen, COST_STEAL) > STEAL_MOST_NS ||
	    (double)(seen->n_stolen * cost_median(seen, COST_STEAL)) < STEALING_SHARE * loss.ns)
		return 0;
	finding = finding_add(findings, &cause_producer, clues, &loss, seen->creator);
	if (!finding)
		return -1;
	finding->variant = PRODUCER_HOLDS;
	FACTS(finding, fact_string("variant", ways[PRODUCER_HOLDS].name),
	      fact_count("created", seen->most_created), fact_kind("task", k),
	      fact_count("steals", seen->n_stolen), fact_ns("steal", cost_median(seen, COST_STEAL)),
	      fact_ns("task_work", grain_work(clues, k)));
	return 0;
}

static int find_producer(const struct clues *clues, struct findings *findings)
{
	struct creation *creation = creations_of(clues);
	int error = creation ? 0 : -1;

	for (kind_id k = 0; k < clues->dag->n_kinds && !error; k++) {
		if (grain_is_fine(clues, k))
			continue;
		error = find_slow(clues, findings, k, &creation[k]);
		if (!error)
			error = find_holder(clues, findings, k);
	}
	free(creation);
	return error;
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

/* ---- producer away ---- */

static int find_away(const struct clues *clues, struct findings *findings)
{
	for (kind_id k = 0; k < clues->dag->n_kinds; k++) {
		const struct kind_clues *seen = &clues->kind[k];
		struct finding *finding;

		if (grain_is_fine(clues, seen->burial.over) ||
		    !is_worth(clues, &seen->lag[LAG_AWAY]))
			continue;
		finding = finding_add(findings, &cause_away, clues, &seen->lag[LAG_AWAY], k);
		if (!finding)
			return -1;
		burial_add(finding, &seen->burial);
	}
	return 0;
}

const struct cause cause_away = {
	{ "away", "producer away",
	  "The task that creates the others runs one of them itself, since a queue is full, and "
	  "until that ends no task is created: the others run dry.",
	  "The creator could go on, its worker ran a task that it had created, and free workers "
	  "had nothing else.  Tasks that the program asked to be run at once (if(0), final) do not "
	  "count.",
	  "A second producer (taskloop, recursive splitting); long tasks in a loop of their own; "
	  "larger tasks, so that the queue does not fill." },
	.what = "the creating task (on w{worker}) ran a task of its own, {over}, from {from} to "
		"{to}, inside the call that creates; others ran dry meanwhile. A runtime does so "
		"when its queue is full (libgomp: 64 tasks a thread, libomp: 256)",
	.advice = "a second producer (taskloop, recursive splitting); the long tasks in a loop of "
		  "their own, first; fewer and larger tasks, so that the queue does not fill",
	.find = find_away,
};
