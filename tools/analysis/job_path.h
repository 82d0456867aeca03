/* SPDX-License-Identifier: MIT */
/*
 * job_path.h - the ready path of a job: back from its end, across its ranks.
 *
 * From what ends last, each time to what had to end last before it: along the steps that led to a
 * call (rank_calls.h), and in a call that waited for another rank to that one's (job_waits.h).  On
 * it, strands run (work); a call has all that it waits for, or waits for none of these traces
 * (message); or something is ready and does not run (delay).  What lies before its first step, if
 * that rank began later than others, is none of these.  Times are ns.
 */
#pragma once

#include "tools/analysis/job_waits.h"

/* What tasks of a kind work on it. */
struct job_path_part {
	uint32_t rank, kind; /* in job_rank[]; as its steps have it */
	uint64_t work_ns;
};

struct job_path {
	uint64_t work_ns, delay_ns, message_ns,
		before_ns; /* add up to its last step's or call's end */
	uint64_t n_crossings;				   /* from one rank to another */
	struct job_path_part *part;			   /* n_parts, by work, the most first */
	uint32_t n_parts;
};

/* Of ranks on one clock; with the waits of that match. */
void job_path_find(struct job_path *path, const struct job_match *match,
		   const struct job_waits *waits);
void job_path_free(struct job_path *path); /* a zeroed one is fine */
