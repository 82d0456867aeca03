/* SPDX-License-Identifier: MIT */
/*
 * speedups.h - elapsed time over numbers of workers, as runs measured, simulated and predicted it.
 *
 * Whoever measures, simulates or predicts fills them.  Times are ns.  A curve's points are in order
 * of workers, one of each number.
 */
#pragma once

#include <stdint.h>

/* Simulated: the median of several runs, the least and the most.  Predicted: with its interval.
 * Measured: all three are those of the shortest run. */
struct speedup_point {
	uint32_t workers;
	uint64_t elapsed_ns, low_ns, high_ns;
};

struct speedup_curve {
	struct speedup_point *point;
	uint32_t n;
};

enum speedups_of { SPEEDUPS_MEASURED, SPEEDUPS_SIMULATED, SPEEDUPS_PREDICTED, SPEEDUPS };
extern const char *const speedups_name[SPEEDUPS]; /* "measured", .. */

struct speedups {
	struct speedup_curve of[SPEEDUPS]; /* n 0: nobody asked for it */
};

/* NULL: the curve has none of so many workers. */
const struct speedup_point *speedup_at(const struct speedup_curve *curve, uint32_t workers);
/* The largest number of workers that a curve is at; 0 without points. */
uint32_t speedups_widest(const struct speedups *curves);
/* Keeps the shortest of each number. */
void speedup_add(struct speedup_curve *curve, struct speedup_point point);
void speedups_free(struct speedups *curves); /* zeroed ones are fine */
