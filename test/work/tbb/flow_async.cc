// SPDX-License-Identifier: MIT
// A flow graph that waits for threads of the program's own.
#include <oneapi/tbb/flow_graph.h>
#include "threads.hh"

using namespace tbb::flow;
using async = async_node<int, int>;

static void all()
{
	graph g;
	long sum = 0;
	std::vector<std::thread> threads;
	async outside(g, serial, [&](int i, async::gateway_type &gateway) {
		gateway.reserve_wait();
		threads.emplace_back([i, &gateway] {
			gateway.try_put(2 * i);
			gateway.release_wait();
		});
	});
	function_node<int> add(g, serial, [&](int i) { sum += i; });

	make_edge(outside, add);
	for (int i = 0; i < 10; i++)
		outside.try_put(i);
	g.wait_for_all();
	for (std::thread &thread : threads)
		thread.join();
	std::printf("sum %ld\n", sum);
}

int main()
{
	in_arena(all);
}
