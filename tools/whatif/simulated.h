/* SPDX-License-Identifier: MIT */
/* simulated.h - what `tptrace simulate` was asked, and the rows of its forecast. */
#pragma once

#include <stdio.h>
#include "tools/whatif/what_if.h"
#include "tools/model/forecast.h"
#include "tools/whatif/against.h"

#define CHANGES_MOST 64u

struct request {
	const char *workers; /* as typed; NULL */
	const struct policy *policy;
	const char *steal; /* NULL: the policy's */
	struct points_wanted wanted;
	const char *output;  /* NULL */
	const char *curve;   /* a kind; NULL */
	const char *against; /* slowed runs; NULL */
	bool fewest;
	enum { TIMES_RECORDED, TIMES_FITTED } times;
	bool json, whole;
	struct {
		enum what_if what;
		const char *value;
	} change[CHANGES_MOST];
	uint32_t n_changes;
	bool too_many;
};

struct rows {
	struct request *request;
	const struct run *run;
	struct forecast *forecast;
	struct policy policy;
};

/* As recorded, each change alone, and all together, which is what a trace is written of.  0, or
 * -errno and *err. */
int simulated_rows(const struct rows *rows, struct err *err);

unsigned simulated_width(void); /* columns of the screen; INT_MAX if there is none */
/* What `put` prints of `of`, on standard output, in such lines. */
void simulated_print(void (*put)(FILE *out, const void *of), const void *of);

/* These print it, of `rows` with a forecast that has no row.  --curve: a kind split into more and
 * more parts; --fewest-changes: of one number of workers.  0, or -errno and *err. */
int simulated_curve(const struct rows *rows, struct err *err);
int simulated_fewest(const struct rows *rows, struct err *err);

/* Likewise what `tptrace record --slow` did, of the plain side's middle run on its own number of
 * workers; *disagrees: the verdict. */
int simulated_against(const struct rows *rows, const struct against_side *plain,
		      const struct against_side *slowed, bool *disagrees, struct err *err);
