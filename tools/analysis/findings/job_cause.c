/* SPDX-License-Identifier: MIT */
/* job_cause.c - adds a finding of a job. */
#include "tools/analysis/findings/job_cause.h"

struct finding *job_finding(const struct job_view *view, const struct cause *cause, kind_id kind,
			    uint64_t lost_ns, uint64_t gain_ns)
{
	struct findings *findings = view->findings;
	struct finding *finding;

	finding = ARRAY_ADD(findings->finding, findings->n, findings->room,
			    (struct finding){ .id = cause->about.id,
					      .kind = kind,
					      .site = SITE_NONE,
					      .n_workers = 1,
					      .lost_ns = lost_ns,
					      .elapsed_ns = gain_ns,
					      .gain_ns = gain_ns });
	return finding;
}
