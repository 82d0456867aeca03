/* SPDX-License-Identifier: MIT */
/*
 * few.h - counters by number that mostly stay small: a byte each.
 *
 * Used by one thread while it counts; then read by any.
 */
#pragma once

#include "tools/base/map.h"

struct few {
	uint8_t *n;	   /* UINT8_MAX: see many */
	struct map many; /* number -> count */
};

int few_open(struct few *few, uint64_t n); /* n counters, 0 at first; 0 or -ENOMEM */
void few_free(struct few *few);		   /* a zeroed one is fine */

int few_add_many(struct few *few, uint32_t i);
/* Counts one more: 0 or -ENOMEM. */
static inline int few_add(struct few *few, uint32_t i)
{
	if (few->n[i] >= UINT8_MAX - 1)
		return few_add_many(few, i);
	few->n[i]++;
	return 0;
}

static inline uint64_t few_of(const struct few *few, uint32_t i)
{
	return few->n[i] < UINT8_MAX ? few->n[i] : *map_find(&few->many, i);
}
