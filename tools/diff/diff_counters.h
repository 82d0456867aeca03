/* SPDX-License-Identifier: MIT */
/*
 * diff_counters.h - counters of a comparison, as text, JSON and CSV; nothing if no side has any.
 *
 * All are of the sides' middle runs.  Ratios: for each task, for each second of work, and
 * instructions a cycle; null where they are not defined, or a process of the run did not count.
 */
#pragma once

#include <stdio.h>
#include "tools/diff/compare.h"
#include "tools/diff/why.h"

/* One row of kinds, places or paths; all tasks with LISTS. */
struct counted_of {
	enum list list;
	uint32_t row;
};

/* All tasks, and the rows of the list that differ, with a line for each counter; and which
 * counters are missing on a side. */
void diff_counters_put(FILE *out, const struct comparison *comparison,
		       const struct diff_shown *shown);

/* "counters":[..], behind a comma: of all tasks. */
void diff_counters_json(struct json *to, const struct comparison *comparison);
/* "counters":{..}, behind a comma: what a row has of each, on a side or as a difference. */
enum counted_part { COUNTED_A, COUNTED_B, COUNTED_DELTA, COUNTED_NOISE };
void diff_counters_json_row(struct json *to, const struct comparison *comparison,
			    struct counted_of of, enum counted_part part);

/* The names of columns, and those of a row; each behind a comma. */
void diff_counters_csv_names(FILE *out, const struct comparison *comparison);
void diff_counters_csv(FILE *out, const struct comparison *comparison, struct counted_of of);
