/* SPDX-License-Identifier: MIT */
/*
 * tallies.h - which counters a run has, and which of several runs have the same.
 *
 * A counter is its name.  The processes of a run may have different ones: what a process did not
 * count is not in the run's sums, and `n_processes` says how many counted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "tools/summary/summary.h"

struct tally {
	char *name, *unit; /* unit: "" if the trace does not say */
	uint32_t n_processes;
};

/* Of a run. */
struct tallies {
	struct tally tally[WIRE_COUNTERS];
	uint32_t n;
	uint32_t n_dropped; /* further counters of its processes, which are in no sum */
	struct counts sum;  /* of all tasks; by number in tally[] */
	char *missing;	    /* counters that were asked for, and why they are missing; NULL */
};

/*
 * Of one process, into zeroed ones.  number[] has, for each of the process's counters, the one
 * here; COUNTED_NONE if it was dropped.
 */
void tallies_build(struct tallies *tallies, const struct summary *summary,
		   uint32_t number[WIRE_COUNTERS]);
/* Adds those of a process, whose numbers in them number[] has then. */
void tallies_merge(struct tallies *tallies, const struct tallies *process,
		   uint32_t number[WIRE_COUNTERS]);
/* Adds what a process counted, by its own numbers; `counts` may be NULL. */
void tallies_count(struct counts *to, const struct counts *counts,
		   const uint32_t number[WIRE_COUNTERS]);
void tallies_free(struct tallies *tallies); /* a zeroed one is fine */

/* A counter that some of the runs have. */
struct shared_tally {
	const char *name, *unit; /* borrowed */
	bool is_time;		 /* counts ns */
};

struct shared_tallies {
	struct shared_tally *tally;
	uint32_t n, n_runs;
	uint32_t *number; /* [tally * n_runs + run]: the run's; COUNTED_NONE */
	struct counted_roles roles;
};

/* Of all the runs, in the order of the first run that has one. */
void shared_tallies_build(struct shared_tallies *shared, const struct tallies *const *run,
			  uint32_t n_runs);
void shared_tallies_free(struct shared_tallies *shared); /* a zeroed one is fine */
