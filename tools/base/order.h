/* SPDX-License-Identifier: MIT */
/*
 * order.h - which of two values comes first, for the comparisons of qsort().
 *
 * Below 0: x does; above 0: y does; 0: they are equal, and what comes next in the comparison
 * decides: `order_most(x->ns, y->ns) ?: order_least(x->kind, y->kind)`.
 */
#pragma once

#include <stdint.h>

static inline int order_least(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

static inline int order_most(uint64_t x, uint64_t y)
{
	return (x < y) - (x > y);
}

/* For qsort() of uint64_t, and of double: the least first. */
static inline int order_numbers(const void *a, const void *b)
{
	return order_least(*(const uint64_t *)a, *(const uint64_t *)b);
}

static inline int order_reals(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}
