/* SPDX-License-Identifier: MIT */
/*
 * interval.h - how much a figure differs between runs that should be alike.
 *
 * With six values or more: the 95 % confidence interval of the median, by order statistics: the
 * least d for which Binomial(n, 1/2) is below d with at most 2.5 %; from the d-th smallest to the
 * d-th largest [Conover, Practical Nonparametric Statistics, 3.2; Hoefler and Belli 2015].  With
 * fewer there is no such d, and it is the range of all of them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define INTERVAL_LEAST 6u /* values of a confidence interval */

struct interval {
	uint32_t n; /* values */
	uint64_t low, high;
};

enum noise {
	NOISE_NONE,    /* the values are equal */
	NOISE_UNKNOWN, /* one value on each side, or one that the other side's do not hold */
	NOISE_WITHIN,  /* the intervals overlap */
	NOISE_BEYOND
};
extern const char *const noise_name[]; /* "none", .. as in the JSON report */

/* Sorts the n values. */
struct interval interval_of(uint64_t *value, uint32_t n);

/* Of the difference between two figures. */
enum noise interval_noise(const struct interval *a, const struct interval *b);
