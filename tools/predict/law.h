/* SPDX-License-Identifier: MIT */
/*
 * law.h - how one figure of a run grows with the size n of its problem.
 *
 *	sum	at most three of 1, log n, n, n log n, n^2, n^2 log n, n^3
 *	power	a n^b, with b fitted; + c
 *	growth	a g^n, with g fitted; + c
 *	mixed	a n^b g^n; a g^n n^(b n), for what grows faster than any g^n, like n!
 *	tasks	a times the number of tasks; + c
 *	and tasks	a g^n + c times the number of tasks: what each task costs besides
 *	product	a n! g^n, + c times the number of tasks
 *	known	a f(n) + c: f(n) = 1.618^n, as Fibonacci's numbers; 2^n; n^2.807, as seven products
 *		of halves, with c n^2 for the sums [Strassen 1969]
 *	series	a n^3 + b n^2, or a n^2 + b n; b may be below 0: of loops to n - 1, n - 2 ..
 *	cap	a constant from some n on: a count behind a cut-off
 *	row	each value follows from the two before: recur.h.  Exact, for counts
 *
 * Nothing is steeper than n^6 or n!.  Other factors are never below 0.  log is to the
 * base 2.  What is minimised is the relative error, so that small runs count as large ones do.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "tools/predict/recur.h"

enum law_kind {
	LAW_SUM_1,
	LAW_SUM_2,
	LAW_SUM_3,
	LAW_POWER,
	LAW_POWER_PLUS,
	LAW_GROWTH,
	LAW_GROWTH_PLUS,
	LAW_POWER_GROWTH,
	LAW_FACTORIAL,
	LAW_TASKS,
	LAW_TASKS_PLUS,
	LAW_GROWTH_TASKS,
	LAW_PRODUCT_TASKS,
	LAW_GOLDEN,
	LAW_DOUBLE,
	LAW_SEVEN,
	LAW_SERIES_2,
	LAW_SERIES_3,
	LAW_CAP,
	LAW_ROW,
	LAW_KINDS
};

#define LAW_TERMS 7u
#define LAW_LARGEST 1000. /* at such an n nothing grows faster than a power of it */

struct law {
	enum law_kind kind;
	double c[LAW_TERMS]; /* SUM: by term.  Else a, b or g, c, as above */
	struct recur recur;  /* LAW_ROW */
	double from;	     /* LAW_CAP: the n that it holds from */
};

/* Points of a figure, by n, which grows.  tasks: how many each had; NULL: runs differ in that. */
struct law_points {
	const double *n, *y, *tasks;
	double tasks_error;   /* relative, of the predicted count at held-out sizes; 0: exact */
	const double *weight; /* of the relative errors; NULL: 1 */
	unsigned count;
};

/* What is fitted of a law. */
unsigned law_parameters(enum law_kind kind);
bool law_needs_tasks(enum law_kind kind);
bool law_is_steep(enum law_kind kind); /* grows like g^n, or faster */

/* False if there is no such law of the points, as too few are there or a factor is below 0. */
bool law_fit(struct law *law, enum law_kind kind, const struct law_points *points);

/* What disturbs a run only adds to its times: points far above the law count less, the farther. */
bool law_fit_below(struct law *law, enum law_kind kind, const struct law_points *points);

/* NAN if the law says nothing of that n. */
double law_at(const struct law *law, double n, double tasks);

/* "1.2 ns n log n + 3 ns"; unit: " ns" or "". */
void law_text(const struct law *law, const char *unit, char *out, size_t room);
