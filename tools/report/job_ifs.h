/* SPDX-License-Identifier: MIT */
/*
 * job_ifs.h - how long a job would take if a rank were faster, its work even, messages or the
 * network quick, or ranks had other numbers of workers: its calls replayed (job_replay.h).
 */
#pragma once

#include "tools/table/table.h"

struct job;
struct processes;

enum job_if_what {
	JOB_IF_NOTHING,
	JOB_IF_RANK,
	JOB_IF_EVEN,
	JOB_IF_MESSAGES,
	JOB_IF_LATENCY,
	JOB_IF_BANDWIDTH,
	JOB_IF_WORKERS
};

struct job_if {
	enum job_if_what what;
	uint64_t rank, nth_world; /* of JOB_IF_RANK; else TABLE_UNKNOWN */
	uint64_t workers;    /* likewise of JOB_IF_WORKERS: of the rank with the most, .. */
	uint64_t least_workers; /* .. and with the fewest */
	uint64_t elapsed_ns; /* of the job, from the first window's begin */
	uint64_t gain_ns;    /* less than as recorded */
};

struct job_ifs {
	struct job_if *at; /* n; the first one is the run as it was recorded */
	uint32_t n;
};

/* Nothing of ranks that are not on one clock. */
void job_ifs_find(struct job_ifs *ifs, struct job *job, const struct processes *all);
void job_ifs_free(struct job_ifs *ifs); /* a zeroed one is fine */

/* It borrows them. */
struct table job_ifs_table(const struct job_ifs *ifs);
