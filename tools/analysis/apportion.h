/* SPDX-License-Identifier: MIT */
/* apportion.h - a number, split in proportion, in integers that add up to it. */
#pragma once

#include <stdint.h>

/*
 * Splits `total` in proportion to share[0..n-1], in integers that add up to it exactly, by largest
 * remainder.  All goes to the first if every share is 0.
 */
void apportion(uint64_t total, const uint64_t *share, uint32_t n, uint64_t *out);
