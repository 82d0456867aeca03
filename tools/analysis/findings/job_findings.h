/* SPDX-License-Identifier: MIT */
/* job_findings.h - the findings of a job: causes that are seen only in several ranks together. */
#pragma once

#include "tools/analysis/findings/findings.h"
#include "tools/analysis/job_waits.h"

/* What tasks of one rank at a place work, and all that are at the same place. */
struct job_kind {
	uint32_t rank;	  /* in job_rank[] */
	uint32_t same;	  /* the first that is at the same place */
	uint32_t n_ranks; /* that work there */
	uint64_t work_ns;
	uint64_t mean_ns; /* of a rank */
};

/* What its cure changes: bits. */
enum job_cure {
	JOB_CURE_EVEN = 1,
	JOB_CURE_BESIDE = 2,
	JOB_CURE_BESIDE_ALL = 4,
	JOB_CURE_QUICK = 8
};
unsigned finding_job_cures(const struct finding *finding); /* 0: its gain is of one rank */
/* What a rank alone says of its waits for others; all of them together know more. */
bool finding_is_of_one_end(const struct finding *finding);

/*
 * By what its ranks waited for each other, and by their messages.  A finding's kind is one of the
 * waits, and of kind[].  There are no grains, and nothing is said of what is not explained.  Yours
 * to findings_free().
 */
void findings_of_job(struct findings *findings, const struct job_waits *waits,
		     const struct job_rank *rank, uint32_t n_ranks, const struct job_kind *kind);
