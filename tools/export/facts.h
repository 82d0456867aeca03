/* SPDX-License-Identifier: MIT */
/*
 * facts.h - what viewers do not show and readers must know: what wrote the export and from which
 * trace, the clock, what is lost, what recording took, and what the cut left out.
 */
#pragma once

#include <stdio.h>
#include "tools/export/export.h"
#include "tools/export/job_times.h"

/* Fills export->fact[]. */
void facts_gather(struct export *export);
void facts_free(struct export *export);

/* The value of a fact; "" if there is none. */
const char *facts_find(const struct export *export, const char *key);
/* What was run; else the trace. */
const char *facts_title(const struct export *export);
/* Likewise; "rank 1: ls" of one of a job, whose times are there. */
void facts_process(const struct export *export, const struct job_times *times, uint32_t process,
		   char name[EXPORT_NAME]);
/* All of them as members of JSON, each on a line of its own. */
void facts_put_json(FILE *out, const struct export *export);
