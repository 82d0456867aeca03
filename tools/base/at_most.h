/* SPDX-License-Identifier: MIT */
/*
 * at_most.h - the smaller of two numbers, the larger, what one has above the other, and their
 * quotient, rounded up.
 */
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

/* a - b, or 0. */
static inline uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* 0 if b is. */
static inline uint64_t quotient_up(uint64_t a, uint64_t b)
{
	return b ? (a + b - 1) / b : 0;
}
