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
