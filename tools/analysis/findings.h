/* SPDX-License-Identifier: MIT */
/*
 * findings.h - known causes of lost core-seconds, where a run shows their evidence.
 *
 *	serial	nothing was ready while code of this kind ran on the ready path: it is to be made
 *		parallel.  Lost: the no-work-app charged to it
 *	fine	its tasks are short and cost the runtime more than a third of what they work.  Lost:
 *		the delay charged to it
 *	tracer	workers waited for the recorder.  Lost: that time; the kind is the one whose tasks
 *		had to wait most
 *
 * A finding is made only if it lost at least FINDING_SHARE of elapsed * P.
 */
#pragma once

#include "tools/analysis/breakdown.h"
#include "tools/analysis/kinds.h"

#define FINDING_SHARE 0.02
#define FINE_TASKS 1000u    /* fewer tasks are no pattern */
#define FINE_WORK_NS 10000u /* a median task of more than this is not short */
#define FINE_COST 3u	    /* fine: cost * FINE_COST > work */
#define FINE_GRAIN 20u	    /* advice: a task this many times as long as it costs; 5 % are lost */

enum finding_id { FINDING_SERIAL, FINDING_FINE, FINDING_TRACER, FINDING_IDS };
extern const char *const finding_name[FINDING_IDS]; /* "serial", .. */
#define FINDING_BY_KIND FINDING_TRACER /* those before it */

struct finding {
	enum finding_id id;
	uint32_t kind;
	uint64_t lost_ns;
	uint64_t median_ns; /* FINE: of a task's work */
	uint64_t cost_ns;   /* FINE: delay a task */
	uint64_t n_tasks;
};

struct findings {
	struct finding *finding; /* the most costly first */
	uint32_t n;
};

int findings_build(struct findings *findings, const struct dag *dag,
		   const struct breakdown *breakdown, const struct kind_facts *facts);
void findings_free(struct findings *findings);
