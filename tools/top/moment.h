/* SPDX-License-Identifier: MIT */
/* moment.h - the figures of the last moments of a run, of a part of its trace (follow.h), and what
 * `tptrace top` prints of them: a screen, a line, or JSON (tptrace-top(1)). */
#pragma once

#include <stdio.h>
#include "tools/analysis/breakdown.h"
#include "tools/summary/rows.h"
#include "tools/top/follow.h"

struct live {
	struct run run;
	struct pauses pauses;
	struct ready_path path;
	struct breakdown breakdown;
	struct kind_facts *facts;
	struct rows rows; /* kinds, the most costly first */
	struct part part;
	uint64_t from_ns, until_ns; /* since the trace's first event; what the figures are of */
	uint64_t n_tasks;	    /* that ran */
	double ready;		    /* strands, on the average */
};

/* Of the last `ns` of the trace; ENODATA if nothing was recorded then.  0, or -errno and *err.
 * *live is yours to live_free(), also after an error. */
int live_build(struct live *live, struct follow *follow, const struct follow_wanted *wanted,
	       struct err *err);
void live_free(struct live *live); /* a zeroed one is fine */

struct live_shown {
	int pid;
	uint64_t own_cpu_ns; /* of this command, for what is shown */
	int width, height;   /* of the screen */
};

/* No more lines than the screen has, and none longer. */
void live_screen(FILE *out, const struct live *live, const struct live_shown *shown);
void live_line(FILE *out, const struct live *live, const struct live_shown *shown);
void live_json(FILE *out, const struct live *live, const struct live_shown *shown);
