/* SPDX-License-Identifier: MIT */
/*
 * leads.h - what the runtime takes before a strand begins: from when the strand could begin and its
 * worker was free, until it began.
 *
 *	create	  back from a creation to the task that created
 *	call	  back from another call: a signal, a lock that was free
 *	begin	  on to a task that the worker itself released
 *	back	  on to what is left of a task that the worker left to run its child
 *	take	  on to something of another worker that had been ready before this worker was free
 *	wake	  the same, where the worker was free before it was ready
 *	resume	  from a wait on with the task, once this worker released it, or nothing kept it
 *	rejoin	  the same, once another worker released it
 *	handover  into a lock that another task left
 *	member	  on to a team's implicit task
 *	yield	  back from a yield, to whatever worker
 *	outside	  on to what nothing in the trace released: threads of the program, unknown waits
 *
 * Leads are drawn from those of their class as buckets know them, so that means are exact.  The
 * steal that a worker begins with is left out: its thread starts once, not at each steal.  So are
 * takes, wakes and rejoins of 1 ms or more, as far as the time that workers waited for CPUs
 * explains them.  If a trace has none of a class, the class that is most like it stands in.
 * Read-only once built.
 */
#pragma once

#include "tools/dag/dag.h"

enum lead {
	LEAD_CREATE,
	LEAD_CALL,
	LEAD_BEGIN,
	LEAD_BACK,
	LEAD_TAKE,
	LEAD_WAKE,
	LEAD_RESUME,
	LEAD_REJOIN,
	LEAD_HANDOVER,
	LEAD_MEMBER,
	LEAD_YIELD,
	LEAD_OUTSIDE,
	LEADS
};
/* Walker's alias method over the buckets that have values. */
struct lead_bin {
	uint64_t mean_ns;
	uint32_t keep; /* of 2^32: else `other` */
	uint32_t other;
};

struct lead_spread {
	uint64_t n, sum_ns;
	struct lead_bin *bin; /* n_bins */
	uint32_t n_bins;
};

struct leads {
	struct lead_spread of[LEADS];
	bool stands_in[LEADS]; /* another class does */
};

/* Bins of these shares, which add up to 1 and are overwritten, and these means. */
#define LEAD_BINS (WIRE_BUCKETS + 1u)
void lead_spread_fill(struct lead_spread *spread, double *share, const uint64_t *mean_ns,
		      uint32_t n);

/* How the strand began in the trace, and its lead.  Strands must be asked for upward from 0. */
struct lead_walk {
	const struct dag *dag;
	strand_id *last; /* by worker */
	uint32_t hint;
};
void lead_walk_open(struct lead_walk *walk, const struct dag *dag);
void lead_walk_close(struct lead_walk *walk);
enum lead lead_walk_next(struct lead_walk *walk, strand_id s, uint64_t *ns);

struct graph;
/* cpu_wait_ns: of all workers; 0 if it is not known. */
void leads_build(struct leads *leads, const struct graph *graph, uint64_t cpu_wait_ns);
void leads_free(struct leads *leads); /* a zeroed one is fine */

/* One of them; `random` has 64 random bits. */
static inline uint64_t lead_spread_draw(const struct lead_spread *spread, uint64_t random)
{
	const struct lead_bin *bin;

	if (!spread->n_bins)
		return 0;
	bin = &spread->bin[(random >> 32) * spread->n_bins >> 32];
	return (uint32_t)random < bin->keep ? bin->mean_ns : spread->bin[bin->other].mean_ns;
}

static inline uint64_t lead_draw(const struct leads *leads, enum lead of, uint64_t random)
{
	return lead_spread_draw(&leads->of[of], random);
}

/* The mean of a class, in ns; 0 if there is none. */
static inline uint64_t lead_mean(const struct leads *leads, enum lead of)
{
	return leads->of[of].n ? leads->of[of].sum_ns / leads->of[of].n : 0;
}
