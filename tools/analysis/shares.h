/* SPDX-License-Identifier: MIT */
/*
 * shares.h - what rows are charged with while the sweep goes on, as shares; and then in ns.
 *
 * What a strand is charged with for a while it was ready is F(start) - F(ready), where F
 * integrates what one ready strand gets at each instant; what a worker is charged with is what one
 * idle worker gets while it is idle.  F is in 2^-SHARE_BITS ns.  In the end each column is
 * apportioned to its total, which is exact.
 */
#pragma once

#include "tools/analysis/breakdown.h"
#include "tools/analysis/sweep.h"
#include "tools/base/pages.h"

#define SHARE_BITS 12 /* 48 bits of ns fit */

/* F of an idle worker. */
struct idle_share {
	uint64_t delay, sched, app;
};

/* Of a ready strand, >> coarse. */
struct share_at {
	uint32_t ready, starved;
};

struct shares {
	const struct dag *dag;
	unsigned coarse;  /* so much that 32 bits hold all of F, which is at most elapsed */
	uint64_t ready;	  /* F of a ready strand, .. */
	uint64_t starved; /* .. from idle workers alone */
	struct pages
		ended; /* struct share_at by strand whose end made others ready that still are */
	struct idle_share idle;
	struct idle_share *worker;  /* n_slots + 1: F when strands ended less F when they began */
	struct idle_share *began;   /* by worker: F of an idle one when its collapsed task began */
	uint64_t *kind;		    /* n_kinds: delay, .. */
	uint64_t *starved_kind;	    /* .. from idle workers alone */
	uint64_t edge[EDGE_KINDS];  /* delay */
	uint64_t collapsed;	    /* delay of collapsed strands, .. */
	uint64_t starved_collapsed; /* .. from idle workers alone */
	uint64_t collapsed_work;    /* of collapsed tasks */
	/* Of strands beside the workers: F of one of them, the work of all, and in shares by kind
	 * and by thread. */
	uint64_t beside, beside_ns, *beside_kind, *beside_worker;
};

void shares_open(struct shares *shares, const struct dag *dag);
void shares_close(struct shares *shares);		       /* a zeroed one is fine */
/* Of n sums by crossed kind (crossed.h), those by kind of `dag`. */
uint64_t *shares_by_kind(const uint64_t *crossed, uint32_t n, const struct dag *dag,
			 const kind_id *kind_of);
/*
 * What crossed kinds are charged with, for the kinds of `dag`.  To be settled only, and closed.
 */
void shares_join(struct shares *joined, const struct shares *crossed, const struct dag *dag,
		 const kind_id *kind_of);

/* amount / n in 2^-SHARE_BITS ns, rounded to the nearest. */
static inline uint64_t share_of(uint64_t amount, uint64_t n)
{
	if (!amount)
		return 0; /* as often as not */
	if (amount >> (63 - SHARE_BITS) || n >> 63)
		return (uint64_t)((((unsigned __int128)amount << SHARE_BITS) + n / 2) / n);
	return ((amount << SHARE_BITS) + n / 2) / n; /* much faster, and nearly always */
}

static inline uint64_t share_scaled(double ns)
{
	return (uint64_t)(ns * (1 << SHARE_BITS) + .5);
}

static inline void idle_share_add(struct idle_share *to, const struct idle_share *share)
{
	to->delay += share->delay;
	to->sched += share->sched;
	to->app += share->app;
}

static inline void idle_share_take(struct idle_share *from, const struct idle_share *share)
{
	from->delay -= share->delay;
	from->sched -= share->sched;
	from->app -= share->app;
}

/* What the sweep's strand that starts, or ends, is charged with, and its worker. */
void shares_start(struct shares *shares, const struct sweep *sweep);
void shares_end(struct shares *shares, const struct sweep *sweep);

/*
 * Fills the columns of `out` whose totals are known: delay by kind, edge and worker, no-work by
 * worker; adds what idle workers had of the delay to the kinds' starved time, and the collapsed
 * tasks' work, and that beside the workers, to their kinds.  `seen`: by worker, whether it is one;
 * n_unseen further ones share the last row.
 */
void shares_settle(struct shares *shares, struct breakdown *out, const uint8_t *seen,
		   uint64_t n_unseen);
