/* SPDX-License-Identifier: MIT */
/*
 * steps.h - times as steps of the clock.
 *
 * Many counters move in steps of some ns: the TSC of AMD's processors by what it counts in 10 ns.
 * Then a time says which step it is, and next to nothing more; and which step takes fewer bits.
 *
 * Both ends of a block follow the clock: `ahead` is where it is thought to be, measured from the
 * worker's last time.  A time lies n steps on, and where that is another unit than the time's,
 * `off` units away: then the clock is thought to be at the nearer end of the time's unit.  So a few
 * times teach where in a unit the steps lie, and it is learnt anew where a worker comes to a CPU
 * whose steps lie elsewhere.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define STEPS_BITS 20	    /* of a unit */
#define STEPS_UNITS_BITS 40 /* longer times are not counted in steps */
#define STEPS_UNIT (INT64_C(1) << STEPS_BITS)

struct steps {
	uint32_t step; /* in 2^-STEPS_BITS units; 0: not known, each time is written as it is */
	int64_t ahead; /* likewise */
	double per;    /* steps in a unit */
};

static inline void steps_begin(struct steps *steps, uint32_t step)
{
	*steps = (struct steps){ step, STEPS_UNIT / 2, step ? (double)STEPS_UNIT / step : 0 };
}

/* The clock is now that far from the last time; `off`: how that time differs from what was thought.
 * A second reading in a step is 1 more on some machines: the clock has not moved. */
static inline void steps_settle(struct steps *steps, int64_t ahead, bool moved, int64_t off)
{
	if (off == 0 || (off == 1 && !moved))
		steps->ahead = ahead;
	else
		steps->ahead = off > 0 ? 0 : STEPS_UNIT - 1;
}

/* at, measured from a time so many units on. */
static inline int64_t steps_from(int64_t at, uint64_t since)
{
	return (int64_t)((uint64_t)at - (since << STEPS_BITS));
}

/* How many steps, of a time so many units after the last one; *off: units beside them. */
static inline uint64_t steps_put(struct steps *steps, uint64_t since, int64_t *off)
{
	uint64_t n = 0;
	int64_t at;

	/* not from `ahead`, which would have to wait for the time before */
	if (__builtin_expect(since >> STEPS_UNITS_BITS == 0, 1))
		n = (uint64_t)((double)since * steps->per + .5);
	at = steps->ahead + (int64_t)(n * steps->step);
	*off = (int64_t)since - (at >> STEPS_BITS);
	steps_settle(steps, steps_from(at, since), n > 0, *off);
	return n;
}

/* The other way round.  False if there is no such time. */
static inline bool steps_take(struct steps *steps, uint64_t n, int64_t off, uint64_t *since)
{
	uint64_t far;
	int64_t at;

	*since = 0;
	if (__builtin_mul_overflow(n, (uint64_t)steps->step, &far) || far >> 62)
		return false;
	at = steps->ahead + (int64_t)far;
	*since = (uint64_t)(at >> STEPS_BITS) + (uint64_t)off;
	steps_settle(steps, steps_from(at, *since), n > 0, off);
	return (int64_t)*since >= 0;
}
