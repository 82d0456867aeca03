/* SPDX-License-Identifier: MIT */
/*
 * backoff.h - when to try again to collapse events, after attempts that removed next to none.
 *
 * After n vain attempts in a row, n occasions are skipped, up to a limit; the first attempt that
 * works ends the backoff.  All-zero is a valid empty value.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct backoff {
	uint32_t pass; /* occasions to skip */
	uint32_t vain; /* attempts in a row */
};

/* Whether to skip this occasion. */
static inline bool backoff_passes(struct backoff *backoff)
{
	if (backoff->pass == 0)
		return false;
	backoff->pass--;
	return true;
}

/* An attempt left n_left of n events: it was in vain if less than a quarter is gone. */
static inline void backoff_saw(struct backoff *backoff, uint32_t n, uint32_t n_left, uint32_t most)
{
	backoff->vain = n_left > n - n / 4 ? backoff->vain + 1 : 0;
	backoff->pass = backoff->vain < most ? backoff->vain : most;
}
