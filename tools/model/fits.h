/* SPDX-License-Identifier: MIT */
/*
 * fits.h - how long strands take, to be drawn: by the kind of their task, and by how they begin
 * and end, since what is before a creation, between two and after a wait is other code.
 *
 *	group	strands of a kind that begin and end alike.  Groups of less than FIT_LEAST strands
 *		take what they took, and so do collapsed tasks
 *	first	a group's first strand on each worker: caches are cold, libraries set themselves up.
 *		They are apart, and drawn from one another
 *
 * A strand's draw depends on the seed and on its number alone, not on the schedule, so that two
 * policies, or two numbers of workers, get the same times.  Changes of a kind's speed apply to what
 * is drawn.  Read-only once built.
 */
#pragma once

#include "tools/model/fit.h"
#include "tools/model/graph.h"

enum fit_begin { FIT_FIRST, FIT_CONTINUES, FIT_JOINS, FIT_BEGINS };
#define FIT_ENDS (STEP_GOES_ON + 1u)

struct fit_group {
	kind_id kind;
	uint8_t begin, end; /* enum fit_begin, enum step_end */
	uint8_t family;	    /* enum family */
	struct fit fit[FAMILIES];
	uint64_t n, sum_ns; /* without the first ones */
	uint64_t n_first;   /* one a worker */
	uint64_t first_sum_ns;
	uint64_t *first_ns; /* n_first */
	uint64_t *bin;	    /* FIT_BINS */
};

struct fits {
	const struct graph *graph;
	struct fit_group *group; /* n; by kind */
	uint32_t n;
	uint32_t *of; /* by kind, begin and end: number + 1 in group[]; 0: takes what it took */
};

/* `graph` as recorded or changed. */
void fits_build(struct fits *fits, const struct graph *graph, uint64_t seed);
void fits_free(struct fits *fits); /* a zeroed one is fine */

/* "begins", ..; "creates", .. */
extern const char *const fit_begin_name[FIT_BEGINS];
extern const char *const fit_end_name[FIT_ENDS];

/* The group of a step, from 0 on; UINT32_MAX: none. */
uint32_t fits_group(const struct fits *fits, strand_id s);
/* How long the step takes; `first`: as the first one of its group on its worker. */
uint64_t fits_draw(const struct fits *fits, uint32_t group, strand_id s, bool first, uint64_t seed);
