/* SPDX-License-Identifier: MIT */
/* interval_test.c - ranks of order statistics as Conover's tables have them, and what overlaps. */

#include "test/lib/test.h"

#include "tools/diff/interval.h"

#define MOST 100u

/* Of the values n..1, so that the k-th smallest is k. */
static struct interval of_count(uint32_t n)
{
	uint64_t value[MOST];

	for (uint32_t i = 0; i < n; i++)
		value[i] = n - i;
	return interval_of(value, n);
}

TEST(ranks_of_the_median)
{
	/* n: the lower rank of the 95 % interval; the upper one is n + 1 less that */
	static const uint32_t rank[][2] = { { 1, 1 },	{ 2, 1 },   { 5, 1 },  { 6, 1 },
					    { 8, 1 },	{ 9, 2 },   { 11, 2 }, { 12, 3 },
					    { 15, 4 },	{ 20, 6 },  { 25, 8 }, { 30, 10 },
					    { 50, 18 }, { 100, 40 } };

	for (size_t i = 0; i < sizeof(rank) / sizeof(rank[0]); i++) {
		struct interval interval = of_count(rank[i][0]);

		assert_int_equal(interval.n, rank[i][0]);
		assert_int_equal(interval.low, rank[i][1]);
		assert_int_equal(interval.high, rank[i][0] + 1 - rank[i][1]);
	}
	assert_int_equal(interval_of(NULL, 0).n, 0);
}

TEST(noise)
{
	const struct interval a = { 3, 10, 20 }, b = { 3, 20, 30 }, c = { 3, 21, 30 };
	const struct interval one = { 1, 15, 15 }, other = { 1, 25, 25 }, twice = { 2, 15, 15 };

	assert_int_equal(interval_noise(&a, &b), NOISE_WITHIN);
	assert_int_equal(interval_noise(&b, &a), NOISE_WITHIN);
	assert_int_equal(interval_noise(&a, &c), NOISE_BEYOND);
	assert_int_equal(interval_noise(&a, &one), NOISE_WITHIN);
	assert_int_equal(interval_noise(&a, &other), NOISE_UNKNOWN);
	assert_int_equal(interval_noise(&one, &other), NOISE_UNKNOWN);
	assert_int_equal(interval_noise(&one, &twice), NOISE_NONE);
}
