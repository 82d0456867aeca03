/* SPDX-License-Identifier: MIT */
/* long_waits_test.c - the longest waits are kept, in an order that no order of adding changes. */
#include "test/lib/test.h"

#include "tools/analysis/long_waits.h"

#define WAITS 10007u /* a prime: i * STEP goes through all lengths */
#define STEP 7919u

static void add_all(struct long_waits *waits, uint32_t step)
{
	for (uint32_t i = 0; i < WAITS; i++) {
		uint32_t ns = (uint32_t)((uint64_t)i * step % WAITS);
		struct long_wait wait = {
			.waiter = ns % 5, .late = 9, .begin_ns = 100, .released_ns = 100 + ns / 2
		};

		long_waits_add(waits, &wait);
	}
	long_waits_sort(waits);
}

TEST(test_longest_are_kept)
{
	struct long_waits waits = { 0 }, other = { 0 };

	add_all(&waits, STEP);
	add_all(&other, 1);
	assert_int_equal(waits.n, LONG_WAITS);
	assert_int_equal(other.n, LONG_WAITS);
	for (uint32_t i = 0; i < waits.n; i++) {
		const struct long_wait *wait = &waits.wait[i];

		assert_int_equal(wait->released_ns - wait->begin_ns, (WAITS - 1 - i) / 2);
		assert_int_equal(wait->waiter, other.wait[i].waiter);
	}
	long_waits_free(&waits);
	long_waits_free(&other);
}

TEST(test_none)
{
	struct long_waits waits = { 0 };

	long_waits_sort(&waits);
	assert_int_equal(waits.n, 0);
	long_waits_free(&waits);
}
