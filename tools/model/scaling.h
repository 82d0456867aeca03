/* SPDX-License-Identifier: MIT */
/*
 * scaling.h - how much longer the code of a kind takes on more workers, from runs on several
 * numbers of them.
 *
 *	work(p) / work(1) = 1 + moved (p - 1) / p + crowded (p - 1)	both >= 0
 *
 * What moves to another worker finds its data elsewhere: that is a share (p - 1) / p of all.  What
 * all others slow down, as by memory's bandwidth, grows with p - 1 [Byambajav and Taura].  Two
 * numbers of workers cannot tell which: then all of it counts as moved.  Three choose the nearer
 * one; four and more have both.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "tools/table/json.h"

struct scaling_law {
	double moved, crowded;
};

struct scaling_row {
	char *name;	 /* of the kind; NULL: of all work */
	double *work_ns; /* by number in traced[]; 0: that run has no such kind */
	struct scaling_law law;
	struct scaling_law other; /* of two numbers of workers: if all of it was crowded */
	bool is_known;		  /* else that of all work stands in */
};

struct scaling {
	uint32_t *traced; /* n_traced numbers of workers, ascending; at least two */
	uint32_t n_traced;
	struct scaling_row *row; /* n_rows: all work, then kinds */
	uint32_t n_rows;
	uint32_t *row_of; /* by kind of the simulated run */
	double cpu_wait;  /* the largest share of elapsed x workers that a run waited for CPUs */
};

void scaling_free(struct scaling *scaling); /* a zeroed one is fine */

/* Fills law, other and is_known of all rows.  Kinds with less than a hundredth of the work, and
 * those that a run lacks, are not known. */
void scaling_fit(struct scaling *scaling);

static inline double scaling_of_law(const struct scaling_law *law, uint32_t n_workers)
{
	double others = (double)n_workers - 1;

	return 1 + law->moved * others / n_workers + law->crowded * others;
}

/* Of the kind on so many workers. */
static inline double scaling_at(const struct scaling *scaling, uint32_t kind, uint32_t n_workers)
{
	const struct scaling_row *row = &scaling->row[scaling->row_of[kind]];

	return scaling_of_law(row->is_known ? &row->law : &scaling->row[0].law, n_workers);
}

/* Whether that is outside of what was traced. */
static inline bool scaling_is_far(const struct scaling *scaling, uint32_t n_workers)
{
	return n_workers < scaling->traced[0] || n_workers > scaling->traced[scaling->n_traced - 1];
}

/* A table, with what lies beyond the traced numbers of workers marked. */
void scaling_screen(FILE *out, const struct scaling *scaling, const uint32_t *workers, uint32_t n);
/* "stretch":{..} */
void scaling_json(struct json *to, const struct scaling *scaling, const uint32_t *workers,
		  uint32_t n);
