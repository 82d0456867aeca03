/* SPDX-License-Identifier: MIT */
/*
 * recur.h - counts of which each follows from those before: c(i) = a c(i-1) + b c(i-2) + d, or,
 * of sizes in equal ratios, c(n) = m c(n / m) + b n + d, m being some power of the ratio.
 *
 * Tasks that make tasks are counted so: fib by n, n + 1, n + 2, ..; a division into halves by n,
 * 2n, 4n, ..; one into sixteen parts, down to a cut-off, by the second rule.  Sizes have to be at
 * equal distances, or in equal ratios.  Such a rule counts only if it holds exactly, for at least
 * two counts that it was not made from.
 */
#pragma once

#include <stdbool.h>

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
