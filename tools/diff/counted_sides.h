/* SPDX-License-Identifier: MIT */
/*
 * counted_sides.h - what the sides of a diff counted beside each other.
 *
 * All are of the sides' middle runs.  Ratios: for each task, for each second of work, and
 * instructions a cycle; NAN where they are not defined, or a process of the run did not count.
 */
#pragma once

#include "tools/diff/compare.h"

struct counted {
	bool known; /* that run has the counter */
	uint64_t total;
	double per_task, per_work_s;
};

/* Of one row of kinds, places or paths; of all tasks with LISTS. */
struct counted_of {
	enum list list;
	uint32_t row;
};
#define COUNTED_ALL ((struct counted_of){ LISTS, 0 })

/* The tally is a number in comparison->tallies. */
struct counted counted_side(const struct comparison *comparison, struct counted_of of,
			    uint32_t side, uint32_t tally);
/* Instructions a cycle; NAN if not both are counted. */
double counted_side_ipc(const struct comparison *comparison, struct counted_of of, uint32_t side);
/* Of the difference between the last side and the first, both of which have the counter. */
enum noise counted_noise(const struct comparison *comparison, struct counted_of of, uint32_t tally);

/* Whether the first and the last side both have the counter; whether the last has another sum. */
bool counted_in_both(const struct comparison *comparison, uint32_t tally);
bool counted_differs(const struct comparison *comparison, struct counted_of of, uint32_t tally);
