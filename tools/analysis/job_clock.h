/* SPDX-License-Identifier: MIT */
/*
 * job_clock.h - one clock for the hosts of a job, by what its ranks sent each other.
 *
 * A call that sends begins before the call that receives ends, on any clock.  So messages in both
 * directions bound what one host's clock may be, seen from another's, from above and from below.
 * [Duda et al. 1987: Estimating global time in distributed systems; only the convex hull of the
 * messages of each direction bounds anything.]
 *
 *	A:  --s1--------------r2-->	s1 <= f(r1): f is above the messages from A,
 *	     \               /		f(s2) <= r2: and below those to A
 *	B:  ---r1-----------s2---->	f: B's time to A's, a line
 *
 * Of the slopes that leave at least half of the widest room between both, the least steep is taken,
 * and in this room the line in the middle.  Hosts are added one by one, the one that is known best
 * first; the clock of the first rank's host is that of all.  Of a call of all, one host compares
 * all others with itself.
 *
 * No message is sent for it: what a program sends itself is what has to be right.
 */
#pragma once

#include "tools/analysis/job_match.h"

/* What a host's clock shows, to what the job's does: ns + offset_ns + slope * (ns - at_ns). */
struct clock_line {
	bool known;
	uint64_t at_ns;
	int64_t offset_ns;
	double slope;
	double error_ns; /* by so much it may be off, between its first message and its last */
};

struct job_clock {
	struct clock_line *line; /* n_lines, by host: job_rank.clock */
	uint32_t n_lines;
	uint64_t n_apart; /* messages and calls of several hosts */
	uint64_t error_ns; /* the largest of its lines; or messages arrive too early by as much */
};

/* Hosts without messages in both directions get no line. */
void job_clock_find(struct job_clock *clock, struct job_match *match);
void job_clock_free(struct job_clock *clock); /* a zeroed one is fine */

/* Whether times of that host can be told on the job's clock; puts those of its calls on it. */
bool job_clock_has(const struct job_clock *clock, uint32_t host);
/* A time of that host on the job's clock; as it is, if that cannot be told. */
uint64_t job_clock_ns(const struct job_clock *clock, uint32_t host, uint64_t ns);
/* Where drift changes, messages arrive before they were sent, on any line: the calls that sent them
 * then begin before that, in the steps that led to them. */
void job_clock_order(struct job_match *match);
void job_clock_put(const struct job_clock *clock, uint32_t host, struct rank_calls *calls);
