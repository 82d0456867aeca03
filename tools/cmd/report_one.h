/* SPDX-License-Identifier: MIT */
/* report_one.h - the report of one trace, and what is asked of it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/analysis/phases.h"
#include "tools/whatif/speedup_curves.h"
#include "tools/whatif/against.h"
#include "tools/export/folded.h"
#include "tools/table/look.h"
#include "tools/summary/profile.h"

struct request {
	enum profile_by by;
	struct phases_wanted wanted;
	struct look look;
	uint64_t burden_ns; /* bounds.h */
	bool json, csv, calls, each, together, strict, distribution, bounds, compensate, what_if;
	struct speedups_wanted curves;	       /* with the bounds */
	enum folded folded;		       /* FOLDED_COUNT: not asked for */
	const char *explain;		       /* a finding; NULL */
	const struct experiments *experiments; /* of --what-if; NULL */
	const char *against[EXPERIMENTS_MOST]; /* n_against, "FILE,.." of each experiment */
	uint32_t n_against;
	const char *baseline; /* a trace of the program with one worker; NULL */
	bool newest;	      /* nobody named it */
	bool many;	      /* one of several, whose processes are added up */
	uint32_t n_at_once;   /* 0: as many as is usual */
};

/* Whether rows are of processes. */
static inline bool by_process(const struct request *request)
{
	return request->by == BY_RANK || request->by == BY_HOST;
}

/*
 * Prints it, and what is wrong on stderr; the exit status.  If `result` is not NULL, what is kept
 * of the process where several are added up (processes.h) goes there as bytes.
 */
int report_one(const struct request *request, const char *path, FILE *result);
