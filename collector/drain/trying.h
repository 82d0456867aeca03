/* SPDX-License-Identifier: MIT */
/*
 * trying.h - when to try again what was in vain: collapsing events of which next to none go.
 *
 * After so many vain tries in a row as many occasions are passed over, up to a limit; what works
 * once is tried each time again.  All-zero is a valid empty value.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct trying {
	uint32_t pass; /* occasions to pass over */
	uint32_t vain; /* tries in a row */
};

/* Whether to pass over this occasion. */
static inline bool trying_passes(struct trying *trying)
{
	if (trying->pass == 0)
		return false;
	trying->pass--;
	return true;
}

/* Of n events so many were left: less than a quarter gone is in vain. */
static inline void trying_saw(struct trying *trying, uint32_t n, uint32_t n_left, uint32_t most)
{
	trying->vain = n_left > n - n / 4 ? trying->vain + 1 : 0;
	trying->pass = trying->vain < most ? trying->vain : most;
}
