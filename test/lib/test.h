/* SPDX-License-Identifier: MIT */
/*
 * test.h - unit tests that say once that they are there:
 *
 *	TEST(test_empty)
 *	{
 *		assert_int_equal(..);
 *	}
 *
 * test.c runs them in the order in which they stand, and has a main() for those that need no other.
 */
#pragma once

#include "test/lib/unit.h"

/* `setup` and `teardown` may be NULL. */
void test_add(unsigned line, const struct CMUnitTest *test);
/* All of them: how many failed, or 1 if there are none. */
int test_all(void);

/* AddressSanitizer says lines of its own where memory runs out, and takes a whole address space. */
#ifdef __SANITIZE_ADDRESS__
#define NOT_SANITIZED() skip()
#else
#define NOT_SANITIZED() ((void)0)
#endif

#define TEST_WITH(test, setup, teardown)                                                           \
	static void test(void **state);                                                            \
	__attribute__((constructor)) static void test##_add(void)                                  \
	{                                                                                          \
		test_add(__LINE__, &(struct CMUnitTest)cmocka_unit_test_setup_teardown(            \
					   test, setup, teardown));                                \
	}                                                                                          \
	static void test(void **state)
#define TEST(test) TEST_WITH(test, NULL, NULL)
