/* SPDX-License-Identifier: MIT */
/* granularity_test.c - a clock's granularity is found among its readings, if it has one. */
#include "collector/drain/granularity.h"

#include <math.h>

#include "test/lib/test.h"
#include "test/unit/random.h"

static uint64_t ticks[GRANULARITY_READINGS];

/* Of a clock of such a granularity that is read each `apart` ticks, more or less, and now and then
 * not for long.  A second reading within a step is `more`. */
static void read_clock(double step, double apart, unsigned more, uint64_t seed)
{
	struct random random = { seed };
	double now = 1e6 + (double)random_below(&random, 1000);

	for (uint32_t i = 0; i < GRANULARITY_READINGS; i++) {
		double jitter = (double)random_below(&random, 1000) / 1000 - .5;

		now += apart + apart / 4 * jitter;
		if (random_one_in(&random, 300))
			now += 1e5;
		ticks[i] = (uint64_t)(floor(now / step) * step);
		if (i && ticks[i] <= ticks[i - 1])
			ticks[i] = ticks[i - 1] + more;
	}
}

TEST(test_found)
{
	static const double step[] = { 24.5, 26, 25.96126, 10.0149, 100, 333.3 };
	static const double apart[] = { .93, 1.5, 2.5, 3.2 }; /* steps */

	for (uint32_t i = 0; i < sizeof(step) / sizeof(step[0]); i++)
		for (uint32_t k = 0; k < sizeof(apart) / sizeof(apart[0]); k++) {
			double found;

			if (step[i] * apart[k] > 900)
				continue;
			read_clock(step[i], step[i] * apart[k], k % 2, i * 10 + k);
			found = granularity_among(ticks);
			if (fabs(found - step[i]) > step[i] * 3e-4)
				fail_msg("%g, not %g, read each %g steps", found, step[i],
					 apart[k]);
		}
}

TEST(test_none)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		read_clock(1 + (double)(seed % 3), 24. + 5 * (double)seed, 1, seed);
		assert_true(granularity_among(ticks) == 0);
	}
	for (uint32_t i = 0; i < GRANULARITY_READINGS; i++)
		ticks[i] = 7; /* it does not move */
	assert_true(granularity_among(ticks) == 0);
	for (uint32_t i = 0; i < GRANULARITY_READINGS; i++)
		ticks[i] = i % 2 ? 7 : UINT64_MAX - i; /* it jumps */
	assert_true(granularity_among(ticks) == 0);
}
