/* SPDX-License-Identifier: MIT */
/*
 * fewest.h - the smallest sets of kinds that have to be split, or called, so that a run uses its
 * workers.
 *
 *	used	elapsed time is at most `goal`: work / (P * elapsed) is FEWEST_SHARE or more
 *	action	a kind whose strands are split; or whose tasks are called (change.c).  At most
 *		FEWEST_ACTIONS: kinds whose own work makes the longest ways
 *	ceiling	all actions, with splits that have no end and cost nothing: what creations, waits
 *		and kinds without an action leave; but no less than work / P.  Where tasks may be
 *		called, no kind's code takes time
 *	set	some actions.  Its span, as if the kinds in it took no time at all, is a bound for
 *		any number of parts: beyond the goal, neither the set nor any part of it suffices.
 *		Other sets are simulated, with P, 4 P and 16 P parts
 *
 * Sets are tried by size, so that the first that suffice are the smallest.  The work is limited;
 * sets that were not tried are counted.  Times are ns.
 */
#pragma once

#include <stdio.h>
#include "tools/model/forecast.h"

#define FEWEST_ACTIONS 15u
#define FEWEST_SHARE .8
#define FEWEST_PARTS 3u /* numbers of parts that are tried */

struct fewest_action {
	kind_id kind;
	bool call;
	uint64_t way_ns; /* the longest way through the graph, of this kind alone */
};

struct fewest_set {
	uint32_t actions; /* a bit for each */
	uint32_t parts;	  /* of splits, the best of those that were tried */
	struct point point;
};

struct fewest_size {
	uint32_t n;		     /* sets of that many actions */
	uint32_t n_by_span, n_tried; /* whose span is too long; that were simulated */
	uint32_t n_suffice;
};

struct fewest {
	struct fewest_action action[FEWEST_ACTIONS];
	uint32_t n_actions;
	uint32_t n_left_out;  /* kinds with work that have no action; .. */
	uint64_t left_out_ns; /* .. their longest ways, together */
	uint32_t n_workers;
	uint32_t parts[FEWEST_PARTS];
	uint64_t goal_ns, ceiling_ns;
	struct fewest_size size[FEWEST_ACTIONS + 1]; /* n_sizes were tried */
	uint32_t n_sizes;
	bool is_found;		/* sets of the last size suffice */
	struct fewest_set *set; /* n_sets: those that suffice, the fastest first; or the fastest */
	uint32_t n_sets;
	uint64_t room;
};

/*
 * `forecast` gets a row for each simulation; the first is the run with `changes` alone.  `wanted`
 * has one number of workers.  0, or -errno and *err; to be freed, whatever is returned.
 */
int fewest_find(struct fewest *fewest, struct forecast *forecast, const struct changes *changes,
		const struct policy *policy, const struct points_wanted *wanted, struct err *err);
void fewest_free(struct fewest *fewest); /* a zeroed one is fine */

/* `name` is that of each kind, as options name it.  On one screen; as one line of JSON. */
void fewest_screen(FILE *out, const struct fewest *fewest, const struct forecast *forecast,
		   char *const *name);
void fewest_json(FILE *out, const struct fewest *fewest, const struct forecast *forecast,
		 char *const *name);
