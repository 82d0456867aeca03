/* SPDX-License-Identifier: MIT */
/* rows.h - the kinds of a run that have tasks or were charged, each with its names. */
#pragma once

#include "tools/analysis/breakdown.h"
#include "tools/analysis/kinds.h"
#include "tools/table/places.h"
#include "tools/run/run.h"

struct kind_row {
	uint32_t kind;
	struct place code; /* where its function begins */
	struct place site; /* where it is created */
	const struct kind_facts *facts;
	const struct charge *charge;
};

struct rows {
	struct kind_row *row; /* the most costly first */
	struct place *code;   /* by kind, of all kinds */
	uint32_t *row_of;     /* by kind: in row[], for those that have one */
	uint32_t n, n_owned;
	char **owned; /* names that were made */
	uint64_t room;
};

/*
 * `dag` is run->dag, or run->by_site.  Facts and breakdown have an entry for each of its kinds,
 * which the rows borrow.
 */
void rows_build(struct rows *rows, const struct run *run, const struct dag *dag,
		const struct kind_facts *facts, const struct breakdown *breakdown);
void rows_free(struct rows *rows); /* a zeroed one is fine */

/* Only code[], of that graph; for rows_free() alone. */
void rows_name(struct rows *rows, const struct run *run, const struct dag *dag);

/* Where a site is; name NULL: nothing is known of it. */
struct place rows_site(const struct run *run, site_id number);

/* Where its call is in its module, by which copies of a line are told apart; 0: not known. */
uint64_t rows_site_offset(const struct run *run, site_id number);

/* The row of a kind that has one. */
const struct kind_row *rows_find(const struct rows *rows, uint32_t kind);
