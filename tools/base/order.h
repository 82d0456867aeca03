/* SPDX-License-Identifier: MIT */
/*
 * order.h - which of two entries comes first, for qsort().
 *
 *	ORDER(longest_first, struct lock, BY_MOST(wait_ns) ?: BY_LEAST(site))
 *
 * is a function longest_first(): a comparison of two locks, x and y.  Below 0: x comes first; above
 * 0: y does; 0: what follows decides.
 */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ORDER(name, type, keys)                                                                    \
	static int name(const void *a, const void *b)                                              \
	{                                                                                          \
		const type *x = a, *y = b;                                                         \
                                                                                                   \
		return keys;                                                                       \
	}
/* qsort() of n entries, which are nowhere if n is 0. */
#define SORT(array, n, order)                                                                      \
	do {                                                                                       \
		if (n)                                                                             \
			qsort((array), (n), sizeof(*(array)), (order));                            \
	} while (0)

#define BY_LEAST(field) ((x->field > y->field) - (x->field < y->field))
#define BY_MOST(field) ((x->field < y->field) - (x->field > y->field))

static inline int order_least(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

static inline int order_most(uint64_t x, uint64_t y)
{
	return (x < y) - (x > y);
}

/* NULL comes first. */
static inline int order_texts(const char *x, const char *y)
{
	return x && y ? strcmp(x, y) : (x != NULL) - (y != NULL);
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
