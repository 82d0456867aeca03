/* SPDX-License-Identifier: MIT */
/* nearest_test.c - what is near, and what is too far. */

#include "test/lib/test.h"

#include "tools/base/nearest.h"

static const char *const words[] = { "record", "report", "recover", "diff", "info" };
#define N_WORDS (sizeof(words) / sizeof(words[0]))

TEST(near)
{
	assert_string_equal(nearest_of("recrod", words, N_WORDS), "record");
	assert_string_equal(nearest_of("reprot", words, N_WORDS), "report");
	assert_string_equal(nearest_of("recovr", words, N_WORDS), "recover");
	assert_string_equal(nearest_of("difff", words, N_WORDS), "diff");
	assert_string_equal(nearest_of("inof", words, N_WORDS), "info");
	assert_string_equal(nearest_of("info", words, N_WORDS), "info");
}

TEST(far)
{
	char many[200];

	memset(many, 'x', sizeof(many) - 1);
	many[sizeof(many) - 1] = 0;
	assert_null(nearest_of("", words, N_WORDS));
	assert_null(nearest_of("ls", words, N_WORDS));
	assert_null(nearest_of("dd", words, N_WORDS));
	assert_null(nearest_of("measure", words, N_WORDS));
	assert_null(nearest_of(many, words, N_WORDS));
	assert_null(nearest_of("record", words, 0));
}
