/* SPDX-License-Identifier: MIT */
/* report_json.h - the report as JSON, the interface that scripts rely on (tptrace-report(1)). */
#pragma once

#include <stdio.h>
#include "tools/report/job.h"
#include "tools/summary/summary.h"

/* The object of one trace; no newline. */
void json_report(FILE *out, const struct summary *summary);

/* The object of the sums over all processes; n_bad traces could not be read. */
void json_total(FILE *out, const struct processes *all, const struct job *job, uint32_t n_bad);
