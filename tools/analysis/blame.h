/* SPDX-License-Identifier: MIT */
/*
 * blame.h - whose the time is in which workers ran nothing: in the runtime, and in waits.
 *
 * A pause is charged to the task that is inside the call, or waits (pauses.h); and by its call.
 * What a worker is charged with in a while is what one worker of its state gets meanwhile: a
 * difference of integrals, as in shares.h.  In the end each column is apportioned to its total.
 */
#pragma once

#include "tools/analysis/shares.h"

/* A worker in its pause. */
struct paused {
	strand_id before; /* STRAND_NONE: it runs, or ran nothing of these runtimes yet */
	enum state in;
	struct idle_share since;	    /* F of that state when it was in it first */
	struct idle_share in_state[STATES]; /* of the pause, before that: of the blamed ones */
};

struct blaming {
	const struct dag *dag;
	unsigned coarse;	      /* sums are in 2^(coarse - SHARE_BITS) ns */
	struct idle_share in[STATES]; /* F of a worker that is in that state, of the blamed ones */
	struct paused *worker;	      /* n_slots */
	struct idle_share call[CALLS];
	uint64_t *by_kind[STATES]; /* of the blamed ones */
	uint64_t collapsed;	   /* runtime of collapsed tasks */
};

void blame_open(struct blaming *blaming, const struct dag *dag);
void blame_close(struct blaming *blaming);			/* a zeroed one is fine */
/* As shares_join(). */
void blame_join(struct blaming *joined, const struct blaming *crossed, const struct dag *dag,
		const kind_id *kind_of);

/* The sweep's step: a strand starts, ends, or a worker turns. */
void blame_start(struct blaming *blaming, const struct sweep *sweep);
void blame_end(struct blaming *blaming, const struct sweep *sweep);
void blame_turn(struct blaming *blaming, const struct sweep *sweep);
/* While time passes: each edge's part of the members of the mixture that are idle. */
void blame_collapsed(struct blaming *blaming, const struct mixture *mixture,
		     const struct idle_share *share);

/* The sweep is over.  Fills out->call and the kinds' time of the blamed states. */
void blame_settle(struct blaming *blaming, const struct sweep *sweep, struct breakdown *out);
