/* SPDX-License-Identifier: MIT */
/* fit_name_test.c - names and their places in few columns. */

#include "test/unit/built.h"
#include "tools/table/apart.h"
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

/* Each name, at one place, beside the others. */
static void stay_apart(const char *const *names, int n, int columns, const char *const *want)
{
	struct apart apart = { 0 };

	for (int i = 0; i < n; i++)
		apart_add(&apart, names[i], "app.c:7");
	apart_fit(&apart, columns);
	for (int i = 0; i < n; i++) {
		char *text = NULL;
		size_t bytes;
		FILE *out = open_memstream(&text, &bytes);

		apart_put(out, &apart, (uint64_t)i);
		fclose(out);
		assert_string_equal(text, want[i]);
		free(text);
	}
	apart_free(&apart);
}

TEST(test_names_that_look_alike)
{
	static const char *const names[] = { "Work<int>::go", "Work<double>::go", "each<3>" };
	static const char *const few[] = { "..int>::g  app.c:7", "..double>  app.c:7",
					   "each<3>  app.c:7  " };
	static const char *const more[] = { "..<int>::go  app.c:7", "..double>::  app.c:7",
					    "each<3>  app.c:7    " };
	static const char *const all[] = { "Work<int>::go  app.c:7   ", "Work<double>::go  app.c:7",
					   "each<3>  app.c:7         " };

	stay_apart(names, 3, 18, few);
	stay_apart(names, 3, 20, more);
	stay_apart(names, 3, 25, all);
}

TEST(test_names_that_are_the_same)
{
	static const char *const names[] = { "a_function_of_some_length",
					     "a_function_of_some_length" };
	static const char *const want[] = { "a_fu..ength  app.c:7", "a_fu..ength  app.c:7" };

	stay_apart(names, 2, 20, want);
}

TEST(test_one_is_all_that_another_begins_with)
{
	static const char *const names[] = { "an_example", "an_example_of_an_example" };
	static const char *const want[] = { "an..le  app.c:7", ".._of_  app.c:7" };

	stay_apart(names, 2, 15, want);
}

TEST(test_names_that_look_alike_again)
{
	static const char *const names[] = { "Work<a_class>::go", "Work<vector<a_class>>::go",
					     "Work<vector<a_struct>>::go" };
	static const char *const want[] = { "..a_clas  app.c:7", "..class>  app.c:7",
					    "..struct  app.c:7" };

	stay_apart(names, 3, 17, want);
}
