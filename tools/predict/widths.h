/* SPDX-License-Identifier: MIT */
/*
 * widths.h - for how long a run could keep how many workers busy, and the same of a larger run.
 *
 * From a trace: potential.h.  A larger run of the same program has another work T1 and span
 * T-infinity, which are known, and a like shape.  So the shape is stretched until both fit: all
 * lengths L times T-infinity' / T-infinity, and all widths k
 *
 *	times a factor:		of a program whose parts all widen
 *	to a power, k^g:	of one with serial parts, which stay at 1
 *
 * Then T(p) = sum of L max(1, k / p), and the workers that nothing is ready for cost
 * p T(p) - T1.  That is at most (p - 1) T-infinity, as for any greedy schedule [Graham 1969].
 */
#pragma once

#include <stdbool.h>
#include "tools/analysis/potential.h"

#define WIDTHS_STEPS 1100u

struct widths {
	unsigned n;
	struct width {
		double k, ns;
	} * at; /* n, by k */
};

enum widths_way { WIDTHS_FACTOR, WIDTHS_POWER, WIDTHS_WAYS };
extern const char *const widths_way_name[WIDTHS_WAYS];

/* Widths less than 1.1 % apart become one: at most WIDTHS_STEPS are left.  0 or -ENOMEM. */
int widths_of(struct widths *widths, const struct potential *potential);
/* Of widths and lengths that somebody gives, by width.  0 or -ENOMEM. */
int widths_make(struct widths *widths, const struct width *at, unsigned n);
void widths_free(struct widths *widths); /* a zeroed one is fine */

double widths_work(const struct widths *widths);
double widths_span(const struct widths *widths);

/* T(p) of the shape, stretched to that work and span that way. */
double widths_elapsed(const struct widths *widths, enum widths_way way, double work_ns,
		      double span_ns, double p);
