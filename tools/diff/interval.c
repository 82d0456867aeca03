/* SPDX-License-Identifier: MIT */
/* interval.c - order statistics. */
#include "tools/diff/interval.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/order.h"

#define TAIL 0.025

const char *const noise_name[] = { "none", "unknown", "within", "beyond" };

/* How many values at each end lie outside. */
static uint32_t values_outside(uint32_t n)
{
	double chance = exp2(-(double)n), below = chance;
	uint32_t outside = 0;

	if (n < INTERVAL_LEAST)
		return 0;
	for (uint32_t k = 1; k < n / 2 && below <= TAIL; k++) {
		chance = chance * (n - k + 1) / k;
		below += chance; /* P(at most k of n are below the median) */
		outside += below <= TAIL;
	}
	return outside;
}

struct interval interval_of(uint64_t *value, uint32_t n)
{
	uint32_t outside = values_outside(n);

	if (n == 0)
		return (struct interval){ 0 };
	SORT(value, n, order_numbers);
	return (struct interval){ .n = n, .low = value[outside], .high = value[n - 1 - outside] };
}

enum noise interval_noise(const struct interval *a, const struct interval *b)
{
	bool overlap = a->low <= b->high && b->low <= a->high;

	if (a->low == a->high && b->low == b->high && a->low == b->low)
		return NOISE_NONE;
	if (overlap)
		return NOISE_WITHIN;
	return a->n > 1 && b->n > 1 ? NOISE_BEYOND : NOISE_UNKNOWN;
}
