/* SPDX-License-Identifier: MIT */
/*
 * job_match.h - the ends of messages and collective calls of all ranks of a job, brought together.
 *
 * A message has two ends, which name communicator, sender, receiver, tag and order alike, and
 * further ones of ranks that probe, or wait for a send; a collective call has one on each rank of
 * its communicator, which name that and the order, or two, if it does not block: it begins, and is
 * waited for.
 *
 * What it needs for each end is an array of the spool that keeps the calls.  One thread.
 */
#pragma once

#include "tools/analysis/rank_calls.h"
#include "tools/base/spool.h"

#define JOB_ROW 256u /* calls that lie together: between two of spool_rest() */

/* A rank as others see it. */
struct job_rank {
	const struct rank_calls *calls;
	uint64_t rank;
	uint32_t world;	  /* of ranks whom others spawned it is another one */
	uint32_t nth_world;
	uint32_t process; /* its number among those of the job */
	uint32_t clock;	  /* numbers of two are equal if their times can be compared */
	uint32_t n_workers;
	uint64_t elapsed_ns, cumulative_ns; /* that, times P */
};

/* What both ends of a message, or all of a collective call, have in common; and one of them. */
struct job_end {
	uint64_t from, to; /* ranks; 0 for a collective call */
	uint32_t comm, order, tag; /* comm: and of which world; 0: it is not known */
	bool collective, again; /* again: of its rank there is another, that counts */
	uint32_t rank, message; /* in job_rank[], and in its messages */
	uint64_t begin_ns;
};

/* Ranks that others spawned, as far as it is known by which call: MPI_Comm_spawn of all ranks of
 * MPI_COMM_WORLD, or of one alone.  Both then name each other by ranks in their groups. */
struct job_spawn {
	uint32_t world, parent; /* of the ranks, and of who spawned them */
	uint32_t comm;		/* between them, as the parents have it; 0: not known */
	bool is_alone;		/* one has spawned them: that */
	uint64_t rank;
	uint32_t clock;
	uint64_t first_ns, last_ns; /* when the ranks began */
	bool is_ambiguous;	    /* it may have been two calls, or their clocks differ */
};

struct job_match {
	const struct job_rank *rank;
	uint32_t n_ranks;
	struct spool *spool;
	struct job_end *end;
	struct job_spawn *spawn; /* n_spawns: by world; none where there is only one */
	uint32_t n_spawns;
	uint64_t *bucket; /* n_buckets: where the ends of each begin; later, where they end */
	uint32_t n_buckets;
	uint64_t n_messages, n_collectives; /* matched */
	uint64_t n_unmatched;		    /* ends of either without all others, .. */
	uint64_t n_unknown;		    /* .. or whose communicator or order nobody knows */
};

/* Of all ranks of a job, and of all their communicators: each world numbers its own. */
static inline uint64_t job_rank_id(uint32_t world, uint64_t number)
{
	return (uint64_t)world << 32 ^ number;
}

/* The n ends of one that is whole, by rank, and by time on one.  They may be put in another order.
 */
typedef void job_matched(void *context, struct job_end *end, uint64_t n);

void job_match_open(struct job_match *match, const struct job_rank *rank, uint32_t n_ranks,
		    struct spool *spool);
/* All that are whole, each call anew by the times that the calls then have. */
void job_match_each(struct job_match *match, job_matched *take, void *context);
/* Who a message of a rank names, by job_rank_id(); *comm becomes what all its ranks have, 0: it is
 * not known. */
uint64_t job_other(const struct job_match *match, const struct job_rank *of, uint8_t field,
		   uint32_t rank, uint32_t *comm);
bool job_on_one_clock(const struct job_match *match);
void job_match_close(struct job_match *match); /* a zeroed one is fine */

/* Whether an end lets others go on, as far as the trace says, and whether it waits for them. */
bool job_sends(const struct job_rank *rank, const struct rank_message *message);
bool job_arrives(const struct job_rank *rank, const struct rank_message *message);

static inline const struct rank_message *job_message(const struct job_match *match,
						     const struct job_end *end)
{
	return &match->rank[end->rank].calls->message[end->message];
}

static inline const struct rank_call *job_call(const struct job_match *match,
					       const struct job_end *end)
{
	return &match->rank[end->rank].calls->call[job_message(match, end)->call];
}
