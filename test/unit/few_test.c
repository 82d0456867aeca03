/* SPDX-License-Identifier: MIT */
/* few_test.c - counters count beyond what a byte holds, each its own. */
#include "tools/base/few.h"

#include "test/lib/test.h"

TEST(test_counts)
{
	static const uint32_t n[] = { 0, 1, 253, 254, 255, 256, 257, 1000, 70000 };
	enum { N = sizeof(n) / sizeof(n[0]) };
	struct few few;

	few_open(&few, N);
	for (uint32_t turn = 0; turn < n[N - 1]; turn++)
		for (uint32_t i = 0; i < N; i++)
			if (turn < n[i])
				few_add(&few, i);
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(few_of(&few, i), n[i]);
	few_free(&few);
}
