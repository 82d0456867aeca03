/* SPDX-License-Identifier: MIT */
/* job_path.c - one walk back, and sums of what it passes. */
#include "tools/analysis/job_path.h"

#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/map.h"
#include "tools/base/order.h"
#include "tools/base/ratio.h"
#include "tools/base/xalloc.h"

struct walk_back {
	struct job_path *path;
	const struct job_match *match;
	const struct job_waits *waits;
	struct map part_of; /* by kind, which is of one rank: index in path->part, + 1 */
	uint64_t room, n_passed;
	uint32_t rank, step, call; /* where it is: at one of both; RANK_NONE */
	uint64_t ns;		   /* and when */
};

static const struct rank_calls *calls_of(const struct walk_back *walk)
{
	return walk->match->rank[walk->rank].calls;
}

static void pass(struct walk_back *walk, uint64_t *what, uint64_t until_ns)
{
	*what += above(walk->ns, until_ns);
	walk->ns = at_most(walk->ns, until_ns);
}

static void add_work(struct walk_back *walk, uint32_t kind, uint64_t ns)
{
	struct job_path *path = walk->path;
	uint64_t *known = map_put(&walk->part_of, kind);

	if (!*known) {
		ARRAY_ADD(path->part, path->n_parts, walk->room,
			  (struct job_path_part){ walk->rank, kind, 0 });
		*known = path->n_parts;
	}
	path->part[*known - 1].work_ns += ns;
	path->work_ns += ns;
}

/* In the call it goes on to the rank that let this one go on last. */
static void pass_call(struct walk_back *walk)
{
	const struct rank_call *call = &calls_of(walk)->call[walk->call];
	const struct job_release *release = &walk->waits->release[walk->rank][walk->call];
	bool crosses = release->ns && release->ns < walk->ns;

	pass(walk, &walk->path->delay_ns, call->end_ns);
	pass(walk, &walk->path->message_ns, crosses ? release->ns : call->begin_ns);
	walk->step = call->step;
	if (crosses) {
		walk->path->n_crossings++;
		walk->rank = release->rank;
		walk->step = calls_of(walk)->call[release->call].step;
	}
	walk->call = RANK_NONE;
}

/* The part of it that is passed works as much as all of it. */
static void pass_step(struct walk_back *walk)
{
	const struct rank_step *step = &calls_of(walk)->step[walk->step];
	uint64_t work_ns, in_ns, step_ns = step->end_ns - step->begin_ns;

	pass(walk, &walk->path->delay_ns, step->end_ns);
	in_ns = above(walk->ns, step->begin_ns);
	work_ns = (uint64_t)(ratio(in_ns, step_ns) * (double)at_most(step->work_ns, step_ns));
	add_work(walk, step->kind, work_ns);
	walk->path->delay_ns += in_ns - work_ns;
	walk->ns -= in_ns;
	walk->call = step->call;
	walk->step = step->call == RANK_NONE ? step->before : RANK_NONE;
}

/* At what ends last; false if there is nothing. */
static bool find_end(struct walk_back *walk)
{
	walk->call = walk->step = RANK_NONE;
	for (uint32_t r = 0; r < walk->match->n_ranks; r++) {
		const struct rank_calls *calls = walk->match->rank[r].calls;
		uint32_t s = calls->last_step;

		if (s != RANK_NONE && calls->step[s].end_ns > walk->ns) {
			walk->rank = r, walk->step = s, walk->call = RANK_NONE;
			walk->ns = calls->step[s].end_ns;
		}
		for (uint32_t c = 0; c < calls->n_calls; c++) {
			if (calls->call[c].end_ns <= walk->ns)
				continue;
			walk->rank = r, walk->call = c, walk->step = RANK_NONE;
			walk->ns = calls->call[c].end_ns;
		}
		spool_rest(walk->match->spool);
	}
	return walk->ns > 0;
}

ORDER(by_work, struct job_path_part, BY_MOST(work_ns) ?: BY_LEAST(rank) ?: BY_LEAST(kind))

void job_path_find(struct job_path *path, const struct job_match *match,
		   const struct job_waits *waits)
{
	struct walk_back walk = { .path = path, .match = match, .waits = waits };
	uint64_t begin_ns = UINT64_MAX;

	*path = (struct job_path){ 0 };
	if (!find_end(&walk))
		return;
	while (walk.call != RANK_NONE || walk.step != RANK_NONE) {
		if (walk.call != RANK_NONE)
			pass_call(&walk);
		else
			pass_step(&walk);
		if (++walk.n_passed % JOB_ROW == 0)
			spool_rest(match->spool);
	}
	for (uint32_t r = 0; r < match->n_ranks; r++)
		begin_ns = at_most(begin_ns, match->rank[r].calls->begin_ns);
	path->before_ns = above(walk.ns, begin_ns);
	SORT(path->part, path->n_parts, by_work);
	map_free(&walk.part_of);
}

void job_path_free(struct job_path *path)
{
	free(path->part);
	*path = (struct job_path){ 0 };
}
