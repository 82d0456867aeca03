/* SPDX-License-Identifier: MIT */
/* ratio.h - how much one number is of another; 0 if that is 0. */
#pragma once

#include <stdint.h>

static inline double ratio(uint64_t part, uint64_t of)
{
	return of ? (double)part / (double)of : 0;
}

static inline double percent(uint64_t part, uint64_t of)
{
	return of ? 100 * (double)part / (double)of : 0;
}
