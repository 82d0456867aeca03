/* SPDX-License-Identifier: MIT */
/* test.c - keeps tests by their lines, as constructors come in any order. */
#include "test/lib/test.h"

#include <stdlib.h>

#define TESTS_MOST 128

static struct CMUnitTest tests[TESTS_MOST];
static unsigned lines[TESTS_MOST];
static size_t n_tests;

void test_add(unsigned line, const struct CMUnitTest *test)
{
	size_t at = n_tests++;

	if (at == TESTS_MOST)
		abort();
	for (; at && lines[at - 1] > line; at--) {
		tests[at] = tests[at - 1];
		lines[at] = lines[at - 1];
	}
	tests[at] = *test;
	lines[at] = line;
}

int test_all(void)
{
	return n_tests ? _cmocka_run_group_tests("tests", tests, n_tests, NULL, NULL) : 1;
}

__attribute__((weak)) int main(void)
{
	return test_all();
}
