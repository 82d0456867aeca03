/* SPDX-License-Identifier: MIT */
/*
 * profile.h - the profile as rows, in one of the ways to group it.
 *
 * Whatever the grouping, each column adds up exactly to its component of the breakdown.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include "tools/table/look.h"
#include "tools/summary/summary.h"

enum profile_by {
	BY_KIND,
	BY_SITE,
	BY_PATH,
	BY_WORKER,
	BY_EDGE,
	BY_PHASE,
	BY_STATE,
	BY_LOCK,
	BY_WAIT,
	BY_GRAIN,
	BY_CODE,
	BY_STRETCH,
	BY_OPERATION,
	BY_DATA,
	BY_RANK, /* of several traces: as the next */
	BY_HOST,
	BY_COUNT
};
extern const char *const profile_by_name[BY_COUNT]; /* "kind", .. */

struct profile_row {
	char label[240];
	char place[96]; /* file:line or module, may be empty */
	struct charge charge;
	/* besides work, BY_KIND and BY_SITE: over all rows these and work add up to the charges */
	struct state_times state;
	uint64_t n_tasks;
	struct counts counts;		   /* BY_KIND, BY_SITE, BY_PATH */
	const struct machine_row *machine; /* BY_WORKER; NULL: no samples */
	uint64_t cpu_ns;		   /* BY_KIND: of its work, by samples; 0: unknown */
	uint64_t median_ns;		   /* BY_KIND, BY_PATH */
	uint64_t max_ns;		   /* BY_KIND */
	uint64_t max_at_ns; /* BY_KIND: when the longest began; KINDS_NOT_THERE: unknown */
};

struct profile {
	enum profile_by by;
	/* the most costly first, but for workers, edges, phases and states; room for n + 1 */
	struct profile_row *row;
	uint32_t n;
	/* BY_KIND, BY_SITE, BY_PATH: collapsed tasks that may belong to other rows */
	uint64_t n_guessed;
};

void profile_build(struct profile *profile, const struct summary *summary, enum profile_by by);
void profile_free(struct profile *profile);

/* Whether rows of that grouping have tasks, and counts. */
static inline bool profile_counts(enum profile_by by)
{
	return by <= BY_PATH;
}

/* Whether the screen shows that grouping by the states of workers, and not by component. */
static inline bool profile_has_states(enum profile_by by, const struct look *look)
{
	return by <= BY_SITE && !look->verbose;
}

/* Work and all states of a row: what the columns of a screen by states add up to. */
uint64_t profile_states_sum(const struct profile_row *row);
/* Puts the rows with the largest such sum first. */
void profile_sort_by_states(struct profile *profile);

/* Adds the charge, the states, the tasks and the counts of a row. */
void profile_add(struct profile_row *to, const struct profile_row *row);

/* n_most rows, and one for the rest: row[n], for which there is room. */
void profile_text(FILE *out, const struct profile *profile, uint64_t cumulative_ns,
		  const struct look *look);

/*
 * With `path`, a first column says which file it is of, and there are no columns for counters,
 * which may differ from file to file.  The first line, of names, if `header`.
 */
void profile_csv(FILE *out, const struct summary *summary, const struct profile *profile,
		 const char *path, bool header);
