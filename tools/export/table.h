/* SPDX-License-Identifier: MIT */
/*
 * table.h - the profile as rows, in one of the ways to group it, as text or CSV.
 *
 * Whatever the grouping, each column adds up exactly to its component of the breakdown.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include "tools/export/summary.h"

enum profile_by { BY_KIND, BY_SITE, BY_WORKER, BY_EDGE, BY_PHASE, BY_STATE, BY_COUNT };
extern const char *const profile_by_name[BY_COUNT]; /* "kind", .. */

struct profile_row {
	char label[160];
	char place[96]; /* file:line or module, may be empty */
	struct charge charge;
	uint64_t n_tasks;
	uint64_t median_ns; /* BY_KIND */
};

struct profile {
	enum profile_by by;
	struct profile_row *row; /* the most costly first, but for workers, edges, phases and states */
	uint32_t n;
};

int profile_build(struct profile *profile, const struct summary *summary, enum profile_by by);
void profile_free(struct profile *profile);

/* n_most rows, and one for the rest. */
void profile_text(FILE *out, const struct profile *profile, uint64_t cumulative_ns,
		  uint32_t n_most);

/* With `path`, a first column says which file it is of; the first line, of names, if `header`. */
void profile_csv(FILE *out, const struct profile *profile, const char *path, bool header);
