/* SPDX-License-Identifier: MIT */
/*
 * change.h - what is to be other than in the recorded run: faster, split, merged or urgent kinds, a
 * lock that is gone, a cost that is another.
 *
 * All zero changes nothing.  Arrays may be NULL: then nothing of theirs is changed.  Names of kinds
 * and sites are the command's to look up.
 */
#pragma once

#include "tools/dag/dag.h"

/* Leads by the names that users give them. */
enum cost {
	COST_CREATE,
	COST_BEGIN,
	COST_STEAL,
	COST_WAIT,
	COST_LOCK,
	COST_FORK,
	COST_OUTSIDE,
	COST_INSIDE,
	COST_OF
};
extern const char *const cost_name[COST_OF]; /* "create", .. */

struct cost_change {
	bool fixed;
	uint64_t ns;   /* fixed */
	double factor; /* else; 0 for 1 */
};

struct kind_change {
	double speed;		/* so many times as fast; 0 for 1 */
	uint32_t split;		/* into so many; 0 for 1 */
	uint32_t merge;		/* so many into one; 0 for 1 */
	bool first;		/* before others */
	bool longest_first;	/* the long ones are created first */
	uint64_t call_below_ns; /* tasks with less work, with all below them, are calls; 0: none */
};

struct changes {
	struct kind_change *kind;		/* by kind; NULL */
	uint8_t *unlocked;			/* by site: its locks are gone; NULL */
	struct cost_change *site_cost[COST_OF]; /* by site; NULL */
	struct cost_change cost[COST_OF];
	bool whole; /* collapsed tasks are not parted */
};

void changes_free(struct changes *changes); /* a zeroed one is fine */

/* What a cost is under the change. */
static inline uint64_t cost_changed(const struct cost_change *change, uint64_t ns)
{
	if (change->fixed)
		return change->ns;
	return change->factor > 0 ? (uint64_t)((double)ns * change->factor + .5) : ns;
}

struct graph;
struct leads;
/* Makes the graph one of the changed program; locks are left out when it is built.  Once, after
 * leads_build() and before graph_measure(). */
void changes_apply(struct graph *graph, const struct leads *leads, const struct changes *changes);
