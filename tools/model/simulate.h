/* SPDX-License-Identifier: MIT */
/*
 * simulate.h - one run of a graph on so many virtual workers: a simulation by discrete events.
 *
 * An event is the end of a strand on a worker, or the moment in which a worker that looked for work
 * finds some.  Time is virtual: integer ns since the first strand began.  At equal times the worker
 * with the smaller number comes first, so that a seed gives one result on every machine.
 *
 * A worker that becomes free takes what its policy lets it take from its own queue, at the cost of
 * a begin, or is idle.  While something is ready that idle workers may take, as many of them search
 * as there are such strands; each for the time of a search, which passes only meanwhile, and then
 * takes what is there [searches.h].  A worker whose task bars it from some looks for the time of a
 * `take` or `wake` [leads.h].
 *
 * On the recorded number of workers those that never ran anything stay away, and nobody steals if
 * nobody did.
 *
 *	work	the sum of what strands take
 *	delay	of the breakdown: integral of min(free workers, ready strands).  A strand in
 *		its lead is ready, and its worker free, so that leads are part of it
 *
 * Memory is flat: 4 bytes a strand and 16 a task, besides the graph; and 8 a strand for a ranking.
 * One thread a simulation.
 */
#pragma once

#include "collector/trace/err.h"
#include "tools/analysis/schedule.h"
#include "tools/model/fits.h"
#include "tools/model/graph.h"
#include "tools/model/leads.h"
#include "tools/model/policy.h"
#include "tools/model/scaling.h"
#include "tools/model/searches.h"

/*
 * All steps of a graph by the longest way from their beginning to the end.  Rank 0 has the longest
 * way; of equal ways, that of the task with the smaller number comes first.  Read-only once built.
 * 8 bytes a step; while it is built 8 more, and 4 a task.
 */
struct ranking {
	uint32_t *rank;	 /* by step */
	strand_id *step; /* by rank */
};

void ranking_build(struct ranking *ranking, const struct graph *graph);
void ranking_free(struct ranking *ranking); /* a zeroed one is fine */

#define SIMULATE_WORKERS_MOST 32768u

struct placed {
	uint64_t start_ns, end_ns;
	uint32_t worker;
};

struct simulation {
	const struct graph *graph;
	const struct leads *leads;
	const struct searches *searches;
	const struct ranking *ranking; /* QUEUE_CRITICAL; NULL: made for this run alone */
	const struct fits *fits;       /* NULL: strands take what they took */
	const struct scaling
		*scaling; /* the graph is of one worker; NULL: lengths are as they are */
	const struct changes *changes;
	struct policy policy;
	uint32_t n_workers;
	uint64_t seed;
	struct schedule *schedule; /* zeroed: gets what ran when, to be freed; NULL */
};

struct outcome {
	uint64_t elapsed_ns, work_ns, delay_ns;
	uint64_t runtime_ns; /* of the delay: leads, and what is inside of collapsed tasks */
	uint64_t blocked_ns; /* workers whose task waited for a lock */
	uint64_t n_steals;
	uint64_t n_at_once; /* tasks that their creation ran, since queues were full */
	uint64_t seed;
	uint64_t n_forced; /* strands that ran though the policy barred them: nothing else could */
};

/*
 * `placed` gets where and when each strand ran, if it is not NULL: n_steps of them.  0, or -errno
 * and *err: out of memory, or the program's locks deadlock.
 */
int simulate(const struct simulation *simulation, struct outcome *outcome, struct placed *placed,
	     struct err *err);
