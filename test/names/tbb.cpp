/* SPDX-License-Identifier: MIT */
/* tbb.cpp - tasks of oneTBB by the user's code in them; a comment @what stands on its line. */
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_group.h>

#include "work.h"

static void left()
{
	work(20);
}

static void plain(int)
{
	work(6);
}

namespace app
{
struct Scale {
	int k;
	void operator()(const tbb::blocked_range<int> &r) const /* @Scale */
	{
		for (int i = r.begin(); i != r.end(); ++i)
			work(k);
	}
};

template <class T> struct Sum {
	T s = 0;
	Sum() {}
	Sum(Sum &, tbb::split) {}
	void operator()(const tbb::blocked_range<int> &r) /* @Sum */
	{
		for (int i = r.begin(); i != r.end(); ++i)
			s += i;
		work(1);
	}
	void join(Sum &other) { s += other.s; }
};

__attribute__((noinline)) void through() { tbb::parallel_for(0, 40, plain); } /* @function */

void load()
{
	tbb::parallel_for(0, 100, [](int) { work(5); }); /* @load first */
	tbb::parallel_for(0, 100, [](int) { work(7); }); /* @load second */
}

void group(int n)
{
	tbb::task_group g;

	for (int i = 0; i < n; i++)
		g.run([=] { work(i); }); /* @group */
	g.wait();
}

void pipe()
{
	int n = 0;

	tbb::parallel_pipeline(
		4, tbb::make_filter<void, int>(
			   tbb::filter_mode::serial_in_order,
			   [&](tbb::flow_control &fc) -> int { /* @pipe in */
				   if (n >= 30)
					   fc.stop();
				   work(2);
				   return n++;
			   }) &
			   tbb::make_filter<int, double>(
				   tbb::filter_mode::parallel, [](int i) -> double { /* @pipe middle */
					   work(20);
					   return i * 0.5;
				   }) &
			   tbb::make_filter<double, void>(
				   tbb::filter_mode::serial_in_order, [](double) { /* @pipe out */
					   work(3);
				   }));
}

struct Body {
	int operator()(int i) const /* @Body */
	{
		work(9);
		return i + 1;
	}
};

void flow()
{
	tbb::flow::graph g;
	tbb::flow::function_node<int, int> a(g, tbb::flow::unlimited, [](int i) { /* @flow a */
		work(4);
		return i;
	});
	tbb::flow::function_node<int, int> b(g, tbb::flow::serial, Body());

	tbb::flow::make_edge(a, b);
	for (int i = 0; i < 30; i++)
		a.try_put(i);
	g.wait_for_all();
}
} // namespace app

int main()
{
	std::vector<int> v(20000);
	std::vector<std::string> words(30, "x");
	app::Sum<long> sum;

	tbb::parallel_for(tbb::blocked_range<int>(0, 100), app::Scale{ 3 });
	tbb::parallel_reduce(tbb::blocked_range<int>(0, 100), sum);
	app::load();
	app::through();
	app::group(20);
	app::pipe();
	app::flow();
	tbb::parallel_invoke(left, left, [] { work(30); }); /* @main invoke */
	for (size_t i = 0; i < v.size(); i++)
		v[i] = (int)(i * 7919 % 10007);
	tbb::parallel_sort(v.begin(), v.end());
	tbb::parallel_for_each(words.begin(), words.end(), [](std::string &) { work(3); }); /* @main each */
	std::printf("%ld\n", sum.s);
	return 0;
}
