/* SPDX-License-Identifier: MIT */
/*
 * law.h - how one figure of a run grows with the size n of its problem.
 *
 *	a n^b log^k n + c	k is 0, 1 or 2; a is fitted, as b and c are
 *	a g^n + c		with g fitted
 *	a n^b g^n
 *	a n! g^n + c
 *	a tasks + c		proportional to the number of tasks
 *	cap	a constant from some n on: a count behind a cut-off
 *	row	each value follows from those before: recur_find().  Exact, for counts
 *
 * Of two points b is a whole number.  In place of the constant c, each of the tasks may cost c
 * besides.  Nothing is steeper than n^6 or n!, and no factor is below 0.  log is to the base 2.
 * What is minimised is the relative error, so that small runs count as large ones do.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define RECUR_BACK 6u

struct recur {
	double a, b, d;
	unsigned back;		/* m is the ratio to this power; 0: the first rule */
	double last, before;	/* the two counts that it goes on from */
	double row[RECUR_BACK]; /* `back` counts, the last first */
	double n, step;		/* n of the last; to the next it is + step, or times step */
	bool is_ratio;
};

bool recur_find(struct recur *recur, const double *n, const double *y, unsigned count);

/* The count at n; NAN if n is none of the next 4096 sizes, or the count has no double. */
double recur_at(const struct recur *recur, double n);

enum law_kind {
	LAW_POWER,
	LAW_POWER_LOG,
	LAW_POWER_LOG2,
	LAW_GROWTH,
	LAW_POWER_GROWTH,
	LAW_PRODUCT,
	LAW_TASKS,
	LAW_CAP,
	LAW_ROW,
	LAW_KINDS
};

enum law_besides { LAW_ALONE, LAW_CONSTANT, LAW_PER_TASK, LAW_BESIDES };

#define LAW_LARGEST 1000. /* at such an n nothing grows faster than a power of it */

struct law {
	enum law_kind kind;
	enum law_besides besides;
	double a, b, c;
	double g;	    /* its logarithm */
	struct recur recur; /* LAW_ROW */
	double from;	    /* LAW_CAP: the n that it holds from */
};

/* Points of a figure, by n, which grows.  tasks: how many each had; NULL: runs differ in that. */
struct law_points {
	const double *n, *y, *tasks;
	double tasks_error;   /* relative, of the predicted count at held-out sizes; 0: exact */
	const double *weight; /* of the relative errors; NULL: 1 */
	unsigned count;
};

unsigned law_parameters(enum law_kind kind, enum law_besides besides); /* that are fitted */
bool law_needs_tasks(enum law_kind kind, enum law_besides besides);
bool law_is_steep(enum law_kind kind); /* grows like g^n, or faster */

/*
 * False if there is no such law of the points, as too few are there or a factor is below 0.
 * below: what disturbs a run only adds to its times, so points far above the law count less, the
 * farther.
 */
bool law_fit(struct law *law, enum law_kind kind, enum law_besides besides, bool below,
	     const struct law_points *points);

/* NAN if the law says nothing of that n. */
double law_at(const struct law *law, double n, double tasks);

/* "1.2 ns n log n + 3 ns"; unit: " ns" or "". */
void law_text(const struct law *law, const char *unit, char *out, size_t room);
