/* SPDX-License-Identifier: MIT */
/* shorten_test.c - names as demanglers give them, and what users recognise of them. */
#include "tools/names/shorten.h"

#include "test/lib/test.h"

struct pair {
	const char *from, *to;
};

static void expect(char *(*shorten)(const char *), const struct pair *pair, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *text = shorten(pair[i].from);

		if ((text && pair[i].to) ? strcmp(text, pair[i].to) : text != pair[i].to)
			fail_msg("%s: %s, not %s", pair[i].from, text ? text : "NULL",
				 pair[i].to ? pair[i].to : "NULL");
		free(text);
	}
}

#define EXPECT(shorten, pairs) expect(shorten, pairs, sizeof(pairs) / sizeof(pairs[0]))

TEST(test_functions)
{
	static const struct pair pairs[] = {
		{ "fib", "fib" },
		{ "fib._omp_fn.0", "fib" },
		{ "fib.constprop.0.isra.0", "fib" },
		{ "main.omp_outlined", "main" },
		{ ".omp_outlined..3", ".omp_outlined..3" },
		{ "shop::tasks(int) [clone ._omp_fn.0]", "shop::tasks" },
		{ "void (anonymous namespace)::hidden<int>(int)", "hidden<int>" },
		{ "int app::load<int>(char)::{lambda(int)#1}::operator()(int) const",
		  "app::load<int>()::{lambda #1}" },
		{ "app::A::f() const::{lambda()#2}::operator()() const",
		  "app::A::f()::{lambda #2}" },
		{ "app::load()::$_0::operator()(int) const", "app::load()::{lambda #1}" },
		{ "app::Scale::operator()(tbb::detail::d1::blocked_range<int> const&) const",
		  "app::Scale::operator()" },
		{ "app::A::operator<(app::A const&) const", "app::A::operator<" },
		{ "std::ostream& app::operator<< <char>(std::ostream&, char)",
		  "app::operator<< <char>" },
		{ "app::A::operator bool() const", "app::A::operator bool" },
		{ "operator new(unsigned long)", "operator new" },
		{ "decltype(auto) app::g<int>(int)", "app::g<int>" },
		{ "void app::h(std::function<void (int)>)", "app::h" },
		{ "app::Big<std::vector<std::map<int, std::vector<long, std::allocator<long> > > > "
		  ">"
		  "::method<std::pair<int, int> >(int)",
		  "app::Big<std::vector<..>>::method<std::pair<..>>" },
		{ "app::text(std::__cxx11::basic_string<char, std::char_traits<char>, "
		  "std::allocator<char> >)::{lambda(int)#1}::operator()(int) const",
		  "app::text()::{lambda #1}" },
		{ "", "" },
		{ "((((", "((((" },
	};

	EXPECT(shorten_function, pairs);
}

TEST(test_types)
{
	static const struct pair pairs[] = {
		{ "app::Sum<long>", "app::Sum<long>" },
		{ "unsigned long", "unsigned long" },
		{ "app::f(int)::Local", "app::f()::Local" },
		{ "main::{lambda(std::__cxx11::basic_string<char, std::char_traits<char>, "
		  "std::allocator<char> >&)#3}",
		  "main::{lambda #3}" },
	};

	EXPECT(shorten_type, pairs);
}

#define PSTL "__pstl::__tbb_backend::"
#define TBB "tbb::detail::d1::"
#define FOR TBB "start_for<" TBB "blocked_range<int>, "
#define END ", " TBB "auto_partitioner const>"

TEST(test_tasks)
{
	static const struct pair pairs[] = {
		{ FOR "app::Scale" END, "app::Scale" },
		{ FOR TBB "parallel_for_body_wrapper<app::load()::{lambda(int)#2}, int>" END,
		  "app::load()::{lambda #2}" },
		{ FOR TBB "parallel_for_body_wrapper<void (int), int>" END, "tbb::parallel_for" },
		{ FOR "tbb::detail::d2::parallel_for_body_wrapper<__gnu_cxx::__normal_iterator<app:"
		      ":Item*"
		      ", std::vector<app::Item> >, main::$_10, app::Item>" END,
		  "main::{lambda #11}" },
		{ TBB "start_for<" TBB "quick_sort_range<int*, std::less<int> >, " TBB
		      "quick_sort_body<int*, std::less<int> >" END,
		  "tbb::parallel_sort" },
		{ TBB "function_invoker<void (), " TBB "invoke_root_task>",
		  "tbb::parallel_invoke" },
		{ TBB "function_task<app::group(int)::{lambda()#1}>", "app::group()::{lambda #1}" },
		{ "tbb::detail::r1::stage_task", "tbb::parallel_pipeline" },
		{ TBB "concrete_filter<int, double, app::pipe()::{lambda(int)#2}>",
		  "app::pipe()::{lambda #2}" },
		{ TBB "function_body_leaf<int, int, app::Body>", "app::Body" },
		{ PSTL "__func_task<" PSTL
		       "__merge_func<double*, double*, main::{lambda(int)#2}> >",
		  "std::sort" },
		{ PSTL "__root_task<" PSTL "__merge_func_static<int*, int*, app::Less> >",
		  "std::merge" },
		{ "app::MyTask", NULL },
		{ "app::start_for<int, app::Scale>", NULL },
	};

	EXPECT(shorten_task, pairs);
}

TEST(test_which_argument)
{
	assert_int_equal(shorten_code_argument("start_for<tbb::blocked_range<int>, f, p>"), 1);
	assert_int_equal(shorten_code_argument("quick_sort_body<int*, std::less<int> >"), -1);
	assert_int_equal(shorten_code_argument("start_fort<int>"), -1);
}

/* Functions that compilers made of a region or a task: gcc's, clang's, and its helpers. */
TEST(test_outlined)
{
	assert_true(shorten_is_outlined("fib._omp_fn.0") && shorten_is_outlined("f.omp_outlined"));
	assert_true(shorten_is_outlined(".omp_task_entry.") && shorten_is_outlined(".omp.reduce"));
	assert_true(shorten_is_outlined("__omp_offloading_fe00_51604d_main_l18_debug__"));
	assert_false(shorten_is_outlined("fib") || shorten_is_outlined("omp_function"));
}

/* Whatever stands there ends, and stays inside (make SAN=address). */
TEST(test_anything)
{
	static const char *const piece[] = {
		"a",  "::",	    "<", ">",	  "(",	    ")",     "{",
		"}",  "operator",   ",", " ",	  "lambda", "const", "$_0",
		"[",  "operator()", "]", "tbb::", "#1",	    "&",     "(anonymous namespace)::",
		"\n", "start_for<",
	};
	unsigned seed = 1;

	for (int i = 0; i < 20000; i++) {
		char text[400] = "";

		for (int n = rand_r(&seed) % 16; n > 0; n--)
			strcat(text,
			       piece[(size_t)rand_r(&seed) % (sizeof(piece) / sizeof(piece[0]))]);
		free(shorten_function(text));
		free(shorten_type(text));
		free(shorten_task(text));
	}
}
