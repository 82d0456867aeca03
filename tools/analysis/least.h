/* SPDX-License-Identifier: MIT */
/*
 * least.h - the time below which no run of the same tasks ends, whatever else changes.
 *
 *	T1 / p		p workers share the work [Brent 1974]
 *	T-infinity	the longest path by strand time
 *	serial		the work that tasks do while they hold one lock: one task at a time does it
 *
 * All that a report says of the best elapsed time comes from here.
 */
#pragma once

#include <stdint.h>

enum least_why { LEAST_WORK, LEAST_SPAN, LEAST_LOCK };

struct least {
	uint64_t work_ns, span_ns;
	uint64_t serial_ns; /* of the lock with the most (locks.h); 0: none, or not known */
};

/* On any number of workers. */
static inline uint64_t least_on_any(const struct least *least)
{
	return least->serial_ns > least->span_ns ? least->serial_ns : least->span_ns;
}

/* On so many; at least 1. */
static inline uint64_t least_on(const struct least *least, uint64_t p)
{
	uint64_t any_ns = least_on_any(least);

	return least->work_ns / p > any_ns ? least->work_ns / p : any_ns;
}

/* What least_on() is a matter of. */
static inline enum least_why least_why(const struct least *least, uint64_t p)
{
	uint64_t any_ns = least_on_any(least);

	if (least->work_ns / p > any_ns)
		return LEAST_WORK;
	return least->serial_ns > least->span_ns ? LEAST_LOCK : LEAST_SPAN;
}
