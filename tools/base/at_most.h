/* SPDX-License-Identifier: MIT */
/* at_most.h - the smaller of two numbers, and the larger. */
#pragma once

#include <stdint.h>

static inline uint64_t at_most(uint64_t most, uint64_t value)
{
	return value < most ? value : most;
}

static inline uint64_t at_least(uint64_t least, uint64_t value)
{
	return value > least ? value : least;
}
