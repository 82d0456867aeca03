/* SPDX-License-Identifier: MIT */
/* apportion_test.c - splitting a number in proportion: exact sums, fair rounding, huge numbers. */
#include "tools/analysis/apportion.h"

#include "test/lib/test.h"
#include "test/unit/random.h"

#define SHARES 40u

typedef unsigned __int128 wide;

/*
 * What largest remainder means: everybody gets the whole part of his share, the rest goes one by
 * one to the largest remainders, of equals to the first.
 */
static void check(uint64_t total, const uint64_t *share, uint32_t n)
{
	uint64_t out[SHARES + 1] = { 0 };
	wide sum = 0, given = 0;

	out[n] = 0x5eed; /* is not touched */
	apportion(total, share, n, out);
	assert_int_equal(out[n], 0x5eed);
	for (uint32_t i = 0; i < n; i++) {
		sum += share[i];
		given += out[i];
	}
	assert_true(given == total);
	for (uint32_t i = 0; i < n && sum; i++) {
		uint64_t whole = (uint64_t)((wide)total * share[i] / sum);

		assert_true(out[i] == whole || out[i] == whole + 1);
		for (uint32_t j = 0; j < n; j++) {
			bool i_more = out[i] > whole;
			bool j_more = out[j] > (uint64_t)((wide)total * share[j] / sum);
			wide rest_i = (wide)total * share[i] % sum;
			wide rest_j = (wide)total * share[j] % sum;

			if (j_more && !i_more)
				assert_true(rest_j > rest_i || (rest_j == rest_i && j < i));
		}
	}
	for (uint32_t i = 0; i < n && !sum; i++)
		assert_int_equal(out[i], i ? 0 : total);
}

TEST(test_by_hand)
{
	static const struct {
		uint64_t total, share[4];
		uint32_t n;
		uint64_t out[4];
	} hand[] = {
		{ 10, { 1, 1, 1 }, 3, { 4, 3, 3 } },
		{ 10, { 1, 2, 1 }, 3, { 3, 5, 2 } },
		{ 0, { 5, 6 }, 2, { 0, 0 } },
		{ 7, { 0, 0, 0 }, 3, { 7, 0, 0 } },
		{ 7, { 0, 3, 0 }, 3, { 0, 7, 0 } },
		{ 1, { 1, 2, 2 }, 3, { 0, 1, 0 } },
		{ 100, { 333, 333, 334 }, 3, { 33, 33, 34 } },
		{ 5, { 9 }, 1, { 5 } },
		{ 2, { 1, 1, 1, 1 }, 4, { 1, 1, 0, 0 } },
	};

	for (size_t i = 0; i < sizeof(hand) / sizeof(hand[0]); i++) {
		uint64_t out[4] = { 0 };

		apportion(hand[i].total, hand[i].share, hand[i].n, out);
		for (uint32_t k = 0; k < hand[i].n; k++)
			assert_int_equal(out[k], hand[i].out[k]);
	}
	apportion(0, NULL, 0, NULL);
}

TEST(test_random)
{
	struct random random = { 1 };

	for (int i = 0; i < 20000; i++) {
		uint32_t n = 1 + (uint32_t)random_below(&random, SHARES);
		uint64_t share[SHARES];
		unsigned bits = 1 + (unsigned)random_below(&random, 58); /* the sum fits */

		for (uint32_t k = 0; k < n; k++)
			share[k] = random_one_in(&random, 4) ? 0 : random_wide(&random, bits);
		check(random_wide(&random, 64), share, n);
	}
}

/* Numbers near 2^63 whose sum still fits. */
TEST(test_huge)
{
	const uint64_t half = UINT64_C(1) << 63;
	const uint64_t share[][3] = { { half, half - 2, 1 },
				      { half - 1, half, 0 },
				      { UINT64_MAX, 0, 0 },
				      { UINT64_MAX - 2, 1, 1 },
				      { UINT64_MAX / 3, UINT64_MAX / 3, UINT64_MAX / 3 } };
	const uint64_t total[] = {
		0, 1, 2, 3, half - 1, half, half + 1, UINT64_MAX - 1, UINT64_MAX
	};

	for (size_t i = 0; i < sizeof(share) / sizeof(share[0]); i++)
		for (size_t k = 0; k < sizeof(total) / sizeof(total[0]); k++)
			check(total[k], share[i], 3);
}

/*
 * Shares whose sum does not fit 64 bits.  They are 2^-12 ns, so this is 52 core-days of one
 * component: 256 workers that idle for 5 hours.
 */
TEST(test_sum_does_not_fit)
{
	const uint64_t half = UINT64_C(1) << 63;
	const uint64_t share[][3] = { { half, half, 0 },
				      { half, half + 1, 0 },
				      { UINT64_MAX, UINT64_MAX, UINT64_MAX },
				      { UINT64_MAX, 0, 1 } };

	for (size_t i = 0; i < sizeof(share) / sizeof(share[0]); i++) {
		check(1000, share[i], 3);
		check(UINT64_MAX, share[i], 3);
	}
}
