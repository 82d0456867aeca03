/* SPDX-License-Identifier: MIT */
/* real.h - a number below 2^63 as a double: as it is signed, that is one instruction. */
#pragma once

#include <stdint.h>

static inline double real_of(uint64_t n)
{
	return (double)(int64_t)n;
}
