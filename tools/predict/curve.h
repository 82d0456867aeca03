/* SPDX-License-Identifier: MIT */
/*
 * curve.h - the law that tells a figure best, chosen as it is used: from small sizes to larger
 * ones.
 *
 * Each law is fitted to the smaller sizes and has to tell the larger ones, once with the largest
 * held out, once with the two largest, and so on.  Its error there is its cost, where a parameter
 * adds a quarter, so that of equals the simplest is the cheapest.  A law may do better on the
 * larger half of the sizes alone: small runs have costs of their own, and each size left out counts
 * as a parameter; or if points far above it count less: they were disturbed.  Then it is fitted
 * again, to all sizes, or that half.
 *
 * A law that grows faster ahead of the largest size than it did up to it costs more: caches that
 * fill up may look like n^2 up to n = 10^5, and what n^2 says of 10^6 was never seen.
 *
 * No law is quite true, and which of two good ones is the cheapest is often chance.  So what a
 * curve says is the mean of all that cost at most twice the least, in logarithms, each with a
 * weight of 1 / cost^2, as forecasts are combined [Bates and Granger 1969].
 *
 * A count that follows a rule exactly (law.h), or stands still behind a cut-off, needs no choice.
 */
#pragma once

#include "tools/predict/law.h"

#define CURVE_SURVIVORS 12u
#define CURVE_HELD_OUT 3u /* sizes, at most */
#define CURVE_LEAST 3u	  /* points */

struct curve_choice {
	struct law law;
	unsigned n_points; /* the largest sizes that it was fitted to */
	bool below;	   /* as law_fit_below() does */
	double rms;	   /* of its relative errors there */
	double held_out; /* of the logarithm of told / true, at sizes held out; 0 of exact rules */
	double cost;
	double share; /* in the mean; 0 of exact rules */
};

struct curve {
	struct curve_choice
		best[CURVE_SURVIVORS]; /* n_best: the cheapest, and others nearly as good */
	unsigned n_best, n_tried, n_held_out;
	bool exact;   /* best[0] is a rule of counts */
	bool none;    /* the figure is 0 everywhere, or, */
	bool unknown; /* if this is set, no law tells it */
};

/* is_count: exact rules may tell it.  False if no law does, as fewer than CURVE_LEAST points are
 * above 0. */
bool curve_fit(struct curve *curve, const struct law_points *points, bool is_count);

/* How many sizes the larger half has that laws are also fitted to: at least 4, if there are. */
unsigned curve_half(unsigned n_sizes);

/* The figure at n; low and high: the least and the most of all that are nearly as good, unless they
 * are NULL. */
double curve_at(const struct curve *curve, double n, double tasks, double *low, double *high);
/* The choice that told it: best[0], unless that says nothing of n. */
const struct curve_choice *curve_choice_at(const struct curve *curve, double n);
/* Whether the number at n is exact. */
bool curve_is_exact(const struct curve *curve, double n);
