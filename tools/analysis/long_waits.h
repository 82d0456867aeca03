/* SPDX-License-Identifier: MIT */
/*
 * long_waits.h - the longest waits of ranks for each other, of any number of them.
 *
 * Times are ns on the clock of the ranks.
 */
#pragma once

#include <stdint.h>

#define LONG_WAITS 2000u /* as many are kept */

struct long_wait {
	uint32_t waiter, late; /* numbers of ranks, as the caller has them */
	/* of the waiter's call, and when the late rank's began, which let it go on: */
	uint64_t begin_ns, end_ns, released_ns;
};

struct long_waits {
	struct long_wait *wait; /* n; any order until long_waits_sort() */
	uint32_t n;
};

void long_waits_add(struct long_waits *waits, const struct long_wait *wait);
/* Longest first; equal ones by waiter and time. */
void long_waits_sort(struct long_waits *waits);
void long_waits_free(struct long_waits *waits); /* a zeroed one is fine */
