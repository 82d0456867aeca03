/* SPDX-License-Identifier: MIT */
/* sorted.h - a search by halves in a sorted array. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How many of the n entries come before what is looked for, as before() says of an entry and the
 * key.  Those are the array's first ones.
 */
static inline uint64_t sorted_before(const void *array, uint64_t n, size_t entry_bytes,
				     uint64_t key, bool (*before)(const void *entry, uint64_t key))
{
	uint64_t low = 0, high = n;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (before((const char *)array + middle * entry_bytes, key))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
