/* SPDX-License-Identifier: MIT */
/* random.h - numbers that look random, and are the same in every run: splitmix64 [Steele 2014]. */
#pragma once

#include <stdint.h>

/* Of a number: another one, all bits of which depend on all of its own. */
static inline uint64_t random_mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* The next one of a sequence, which begins with any number. */
static inline uint64_t random_next(uint64_t *state)
{
	return random_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}
