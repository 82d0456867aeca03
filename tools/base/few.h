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

void few_open(struct few *few, uint64_t n); /* n counters, 0 at first */
void few_free(struct few *few);		    /* a zeroed one is fine */

void few_add_many(struct few *few, uint32_t i);
/* Counts one more. */
static inline void few_add(struct few *few, uint32_t i)
{
	if (few->n[i] >= UINT8_MAX - 1)
		few_add_many(few, i);
	else
		few->n[i]++;
}

static inline uint64_t few_of(const struct few *few, uint32_t i)
{
	return few->n[i] < UINT8_MAX ? few->n[i] : *map_find(&few->many, i);
}
