/* SPDX-License-Identifier: MIT */
/* job_findings.h - the findings of a job: causes that are seen only in several ranks together. */
#pragma once

#include "tools/analysis/findings/findings.h"
#include "tools/analysis/job_waits.h"

/*
 * By what its ranks waited for each other, and by their messages.  A finding's kind is one of the
 * waits; same[] has for each the first that is at the same place.  There are no grains, and nothing
 * is said of what is not explained.  0 or -ENOMEM; yours to findings_free().
 */
int findings_of_job(struct findings *findings, const struct job_waits *waits,
		    const struct job_rank *rank, uint32_t n_ranks, const uint32_t *same);
/* What the late rank's tasks of the kind work, and those of a rank in the mean: whether it should
 * have less to do, or do it later. */
void job_finding_compare(struct finding *finding, uint64_t work_ns, uint64_t mean_ns);
