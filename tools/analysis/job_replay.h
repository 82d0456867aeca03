/* SPDX-License-Identifier: MIT */
/*
 * job_replay.h - how long a job would take if its ranks' tasks, or its messages, took other times.
 *
 * The calls of all ranks happen once more, in the order in which they were recorded:
 *
 *	step	begins as long after the step or the call before it as recorded, and takes what it
 *		took, times the factor of its rank
 *	call	begins when the step before it ends.  It ends as long after it began, or after the
 *		last rank that it waits for let it go on, whatever is later, as it did: so long its
 *		messages were under way
 *	rank	ends with its last step or call, or as long after these as it did
 *
 * Waits for a CPU are the step's, and its factor counts for them, too.  On 2 loaded CPUs, 9 of 10
 * jobs then took what was predicted to within 10 % (medians of 7 runs), and one to 25 %; as if
 * waits stayed, 8 were predicted 15 to 51 % too long.  A run by itself differs by more.
 *
 * With all factors 1 that is the recorded run.  [Dimemas: Girona et al. 2000, with the times of
 * messages measured, in place of a model of the network.]
 *
 * As `span`, there is only the work of strands, one after the other, and messages take no time: how
 * long the longest way is, of those that calls and windows ended with.
 *
 * What was on the way to a call stays on it.  Tasks of one kind may also run `beside` the call that
 * they led to: it then begins without them, and ends after them.  One thread.
 */
#pragma once

#include "tools/analysis/job_match.h"

/*
 * What the fastest messages took, from the begin of their sends: of those whose receivers waited.
 * The shortest time of all is the latency; of what long ones took beyond it, the shortest by byte
 * is the bandwidth.
 */
struct replay_network {
	uint64_t n, least_ns[WIRE_BUCKETS], bytes[WIRE_BUCKETS]; /* by size: of the fastest */
	double latency_ns, byte_ns;				 /* 0: not known */
};

struct job_replay {
	struct job_match *match;
	struct replay_group *group; /* n_groups: what was matched, from 1 */
	uint64_t n_groups;
	struct replay_rank *rank;
	struct replay_moment *moment; /* n_moments: calls begin and end, in order of time */
	uint64_t n_moments;
	uint64_t begin_ns, end_ns; /* of all windows */
	struct replay_network network;
};

/* What is another than as recorded. */
struct replay_change {
	const double *rank;	 /* by rank: what its tasks take */
	const double *kind;	 /* likewise by kind of tasks, as the steps have it; NULL: 1 */
	const double *of_caller; /* by kind of the caller: what its sends and receives take */
	const bool *beside;	 /* kinds of tasks that run beside the call; NULL: none */
	double messages;	 /* what all messages take */
	/* shares of what the network takes of calls that wait, which it takes no more */
	double less_latency, less_transfer;
	bool span; /* nothing takes time but work */
};

/* Of ranks on one clock.  What it needs for each call is an array of the match's spool. */
void job_replay_open(struct job_replay *replay, struct job_match *match);
/* How long the job then lasts. */
uint64_t job_replay_ns(struct job_replay *replay, const struct replay_change *change);
void job_replay_close(struct job_replay *replay); /* a zeroed one is fine */
