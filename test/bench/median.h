/* SPDX-License-Identifier: MIT */
/* median.h - the median of what was measured. */
#pragma once

#include <stdlib.h>

static inline int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of n values, at least one; sorts them. */
static inline double median(double *value, int n)
{
	qsort(value, (size_t)n, sizeof(*value), by_value);
	return value[n / 2];
}
