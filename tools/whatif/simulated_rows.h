/* SPDX-License-Identifier: MIT */
/* simulated_rows.h - what `tptrace simulate` was asked, and the rows of its forecast. */
#pragma once

#include <stdio.h>
#include "tools/whatif/what_if.h"
#include "tools/model/forecast.h"

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

/* All changes of the request at once.  0, or -errno and *err; to be freed whatever is returned. */
int simulated_changes(const struct rows *rows, struct changes *changes, struct policy *policy,
		      struct err *err);
