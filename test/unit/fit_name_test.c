/* SPDX-License-Identifier: MIT */
/* fit_name_test.c - names and their places in few columns. */
#include <stdio.h>
#include <stdlib.h>

#include "test/unit/built.h"
#include "tools/table/fit.h"

static void fits(const char *name, const char *place, int columns, const char *want)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	fit_name(out, name, place, columns);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
}

TEST(test_room_for_both)
{
	fits("scan", "app.c:7", 16, "scan  app.c:7   ");
	fits("scan", "", 6, "scan  ");
}

TEST(test_name_is_cut_first)
{
	fits("a_function_of_some_length", "app.c:7", 20, "a_fu..ength  app.c:7");
}

TEST(test_short_name_stays)
{
	fits("main", "tbb_mutex.cc:20-23", 18, "main  tbb_m..20-23");
	fits("a_function_of_some_length", "tbb_mutex.cc:20-23", 18, "a_..th  tbb_..0-23");
}

TEST(test_module_gives_way)
{
	fits("tbb::parallel_for", "libexample.so", 20, "tbb::parallel_for   ");
	fits("scan", "libexample.so", 20, "scan  libexample.so ");
}

TEST(test_no_room)
{
	for (int columns = 8; columns < 18; columns++) {
		char *text = NULL;
		size_t bytes;
		FILE *out = open_memstream(&text, &bytes);

		fit_name(out, "a_function", "app.c:7", columns);
		fclose(out);
		assert_int_equal(fit_columns(text), columns);
		free(text);
	}
}
