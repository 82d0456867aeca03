/* SPDX-License-Identifier: MIT */
/*
 * distributions.h - how times are spread: by kind, by thief and victim, by number of thieves.
 *
 *	work	of a task that began
 *	ready	from when a task could begin until it did
 *	steal	the same of what was stolen (released.h): a task, or the rest of its creator
 *	wait	from when a task of the kind began to wait until it went on
 *
 * What becomes of a child that somebody waits for: it ended on the worker that waits (inlined); it
 * had ended elsewhere when the wait began (done); or it ended later (waited for).  Children that a
 * barrier joins are not counted.  A leap is a steal by a worker whose task waits, from the worker
 * on which a child that it waits for runs [Wagner and Calder 1993; Wool]
 *
 * Collapsed tasks count for work, in buckets, and are inlined; their other times are not known.
 */
#pragma once

#include "tools/analysis/select.h"
#include "tools/analysis/spread.h"
#include "tools/dag/dag.h"

enum distribution { OF_WORK, OF_READY, OF_STEAL, OF_WAIT, DISTRIBUTIONS };
extern const char *const distribution_name[DISTRIBUTIONS]; /* "work", .. */

enum fate { FATE_INLINED, FATE_DONE, FATE_WAITED_FOR, FATES };
extern const char *const fate_name[FATES]; /* "inlined", .. as in the JSON report */

struct steal_pair {
	uint32_t thief, victim;
	uint64_t n, ns; /* steals, and the time from ready to start of all of them */
};

struct distributions {
	struct spreads spreads; /* a row for each kind and distribution, then by_idle */
	uint64_t by_idle;	/* the row of steals while one worker was idle, the thief; then two,
				   and so on up to n_idle */
	uint32_t n_idle;
	struct steal_pair *pair; /* the most steals first */
	uint64_t n_pairs, room;
	uint64_t (*fate)[FATES]; /* by kind of the child */
	strand_id *leap; /* n_leaps: steals that were leaps, in no order */
	uint64_t n_leaps, leap_room;
};

static inline uint64_t distribution_row(uint32_t kind, enum distribution what)
{
	return (uint64_t)kind * DISTRIBUTIONS + what;
}

/* Of what starts in the selected time; work as kinds_of() has it. */
void distributions_build(struct distributions *all, const struct dag *dag,
			 const struct select *select);
void distributions_free(struct distributions *all); /* a zeroed one is fine */
