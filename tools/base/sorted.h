/* SPDX-License-Identifier: MIT */
/* sorted.h - a search by halves in a sorted array. */
#pragma once

#include <stdint.h>

/*
 * How many of the n entries, the array's first ones, come before what is looked for, as is_before
 * says of the entry `it`: SORTED_BEFORE(span, n, it->from_ns < ns).
 */
#define SORTED_BEFORE(array, n, is_before)                                                         \
	({                                                                                         \
		uint64_t low_ = 0, high_ = (n);                                                    \
                                                                                                   \
		while (low_ < high_) {                                                             \
			uint64_t middle_ = low_ + (high_ - low_) / 2;                              \
			const __typeof__(*(array)) *it = &(array)[middle_];                        \
                                                                                                   \
			if (is_before)                                                             \
				low_ = middle_ + 1;                                                \
			else                                                                       \
				high_ = middle_;                                                   \
		}                                                                                  \
		low_;                                                                              \
	})
