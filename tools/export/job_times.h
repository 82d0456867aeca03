/* SPDX-License-Identifier: MIT */
/*
 * job_times.h - when things happened in the ranks of a job, on the clock of the first one's host.
 *
 * Without a clock that the hosts have in common (job_clock.h), a rank's times are as its own host's
 * clock shows them.
 */
#pragma once

#include "tools/analysis/job_clock.h"
#include "tools/run/identity.h"
#include "tools/run/run.h"

struct job_times {
	struct job_rank *rank; /* n; their calls are without steps */
	uint64_t *began_ns;    /* n: each window, on its host's clock */
	char **host;	       /* n */
	uint32_t n;
	struct map worlds; /* identity_nth_world() */
	struct spool spool;
	struct job_match match;
	struct job_clock clock;
	uint64_t begin_ns, end_ns; /* of all windows, and of calls behind them */
	uint32_t n_apart;	   /* ranks of hosts without that clock */
};

/* Of so many ranks. */
void job_times_open(struct job_times *times, uint32_t n);
/* One after the other; and once all are there. */
void job_times_add(struct job_times *times, const struct run *run);
void job_times_find(struct job_times *times);
void job_times_close(struct job_times *times); /* a zeroed one is fine */

/* A time of the i-th one's window, since ->begin_ns; NULL: it is no job's. */
uint64_t job_times_at(const struct job_times *times, uint64_t i, uint64_t ns);
