// SPDX-License-Identifier: MIT
// Exceptions out of parallel_for, of nested ones, of a reduction, a pipeline and a graph.
#include <functional>
#include <stdexcept>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_reduce.h>
#include "threads.hh"

template <typename F> static void expect(const char *what, F f)
{
	try {
		f();
		std::printf("%s: nothing\n", what);
	} catch (const std::exception &error) {
		std::printf("%s: %s\n", what, error.what());
	}
}

struct thrower_at {
	void operator()(int i) const
	{
		if (i == 77)
			throw std::out_of_range("77");
	}
};
static thrower_at thrower;

static void all()
{
	for (int round = 0; round < 10; round++)
		expect("for", [] { tbb::parallel_for(0, 200, thrower); });
	expect("nested", [] {
		tbb::parallel_for(0, 10, [](int) { tbb::parallel_for(0, 100, thrower); });
	});
	expect("caught", [] {
		tbb::parallel_for(0, 10, [](int) {
			try {
				tbb::parallel_for(0, 100, thrower);
			} catch (const std::exception &) {
			}
		});
	});
	expect("reduce", [] {
		tbb::parallel_reduce(
			tbb::blocked_range<int>(0, 100), 0,
			[](const tbb::blocked_range<int> &r, int n) {
				for (int i = r.begin(); i != r.end(); i++)
					thrower(i);
				return n;
			},
			std::plus<int>());
	});
	expect("pipeline", [] {
		int next = 0;

		tbb::parallel_pipeline(
			4,
			tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
						    [&](tbb::flow_control &flow) {
							    if (next == 100)
								    flow.stop();
							    return next++;
						    }) &
				tbb::make_filter<int, void>(tbb::filter_mode::parallel, thrower));
	});
	expect("graph", [] {
		tbb::flow::graph g;
		tbb::flow::function_node<int> node(g, tbb::flow::unlimited, thrower);

		for (int i = 0; i < 100; i++)
			node.try_put(i);
		g.wait_for_all();
	});
}

int main()
{
	in_arena(all);
}
