/* SPDX-License-Identifier: MIT */
/*
 * job.h - what the ranks of a job waited for each other, and its findings, as they are printed.
 *
 * It borrows from the processes, which must outlive it.  Where they are several runs, or less than
 * two of them called MPI, there is nothing but the span and what each process found by itself.
 */
#pragma once

#include "tools/analysis/findings/job_findings.h"
#include "tools/analysis/job_clock.h"
#include "tools/analysis/job_path.h"
#include "tools/analysis/job_replay.h"
#include "tools/report/job_ifs.h"
#include "tools/report/processes.h"
#include "tools/summary/found.h"

struct job {
	struct job_match match;
	struct job_clock clock; /* of several hosts */
	uint32_t *clock_of;	/* by process: numbers of two are equal if times can be compared */
	struct job_waits waits;
	struct findings findings;
	struct found
		*found; /* n_found: the findings, and what ranks found by themselves, in words */
	uint32_t n_found;
	struct place *place;   /* n_places, by number, of all ranks; borrows */
	struct job_kind *kind; /* n_places */
	uint32_t n_places;
	struct job_rank *rank; /* n_ranks: those that called MPI */
	uint32_t n_ranks;
	struct job_replay replay; /* of ranks on one clock, as is the path; else empty */
	struct job_path path;
	uint64_t span_ns;   /* the longest of the ranks', or across them */
	struct job_ifs ifs; /* if somebody had them found */
};

/* Once all processes are there: their ranks' places get numbers in the job. */
void job_find(struct job *job, struct processes *all);
/* Of that, all but the findings and their gains.  False: it is no job of several ranks. */
bool job_find_course(struct job *job, struct processes *all);
/* No run on as many workers is shorter. */
uint64_t job_bound_ns(const struct job *job, const struct processes *all);
void job_free(struct job *job); /* a zeroed one is fine */

/* In job->rank[], whom that fact of a finding names; RANK_NONE. */
static inline uint32_t job_rank_named(const struct job *job, const struct finding *finding,
				      const char *id)
{
	const struct fact *fact = fact_of(finding, id);

	for (uint32_t r = 0; fact && r < job->n_ranks; r++)
		if (job->rank[r].rank == fact->rank.n &&
		    job->rank[r].nth_world == fact->rank.nth_world)
			return r;
	return RANK_NONE;
}
