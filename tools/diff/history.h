/* SPDX-License-Identifier: MIT */
/*
 * history.h - a series of versions, oldest first: each judged as tptrace diff judges two.
 *
 * Each is judged against a reference: the first, until one is better than that, and beyond noise,
 * and so sets a new one.  So neither a lucky single run nor a step that is undone sets the mark,
 * and many small steps add up.  A version is bad from the first one that is worse than its
 * reference on, until one is not.  For people, as JSON and as CSV: tptrace-log(1).
 */
#pragma once

#include <stdio.h>
#include "tools/diff/compare.h"
#include "tools/diff/why.h"

#define HISTORY_NONE UINT32_MAX

struct version {
	struct side *side; /* borrowed */
	const char *name;  /* the rest of the side's label; borrowed */
	uint32_t against;  /* its reference; HISTORY_NONE for the first */
	enum verdict verdict;
	enum noise noise;
	bool undecided; /* for the load of the machine, or as a trace is damaged */
	double ratio;	/* to the reference; 0: unknown */
	char *why;	/* sentence, in which A is the reference and B this one; ours to free */
};

struct history {
	struct version *version;
	uint32_t n;
	double threshold; /* as in struct question */
	/* A column for each version, the largest shares first: of the run in which the finding's
	 * share is in the middle, if most of the version's runs have it. */
	struct matches findings;
	/* Of the bad ones that the last is of: the first, and the first undecided one of those just
	 * before it; HISTORY_NONE. */
	uint32_t first_bad, first_suspect;
};

/* The sides are borrowed, and in their order; names are theirs without so many leading bytes.
 * 0, or -errno and *err. */
int history_build(struct history *history, struct side *side, uint32_t n, size_t skipped,
		  double threshold, struct err *err);
void history_free(struct history *history); /* a zeroed one is fine */

/* When the first of a side's runs was recorded, in s since 1970; 0 if one of them does not say. */
uint64_t history_recorded(const struct side *side);

/* `shown`: width and bold. */
void history_screen(FILE *out, const struct history *history, const struct diff_shown *shown);

/* One line. */
void history_json(FILE *out, const struct history *history);

/* A line for each version [RFC 4180]. */
void history_csv(FILE *out, const struct history *history);
