/* SPDX-License-Identifier: MIT */
/* job_cause.h - what the files of a job's causes share. */
#pragma once

#include "tools/analysis/findings/cause.h"
#include "tools/analysis/findings/job_findings.h"

struct job_view {
	struct findings *findings;
	const struct job_waits *waits;
	const struct job_rank *rank;
	const struct job_kind *kind;
	uint32_t n_ranks;
	double least_ns; /* less is not worth a finding */
};

/* A finding of that cause and loss, with its gain. */
struct finding *job_finding(const struct job_view *view, const struct cause *cause, kind_id kind,
			    uint64_t lost_ns, uint64_t gain_ns);

/* What calls cost, without waits for other ranks (job_calls.c). */
void job_find_small(const struct job_view *view);
void job_find_ready(const struct job_view *view);
void job_find_serial(const struct job_view *view);
