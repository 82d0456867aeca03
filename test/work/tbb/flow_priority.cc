// SPDX-License-Identifier: MIT
// A flow graph whose nodes have priorities, lightweight ones too, and one that is cancelled.
#include <oneapi/tbb/flow_graph.h>
#include "threads.hh"

using namespace tbb::flow;

static void all()
{
	std::atomic<long> sum{ 0 };
	graph g;
	broadcast_node<int> start(g);
	function_node<int, int> low(g, unlimited, [&](int i) {
		tbb::parallel_for(0, 10, [&](int k) { sum += k; });
		return i;
	}, node_priority_t(1));
	function_node<int, int> high(g, unlimited, [&](int i) { sum += i; return i; },
				     node_priority_t(9));
	function_node<int, int, lightweight> light(g, unlimited, [&](int i) noexcept {
		sum++;
		return i;
	});

	make_edge(start, low);
	make_edge(start, high);
	make_edge(low, light);
	make_edge(high, light);
	for (int i = 0; i < 100; i++)
		start.try_put(i);
	g.wait_for_all();
	std::printf("sum %ld\n", sum.load());

	graph other;
	function_node<int> stop(other, unlimited, [&](int i) {
		if (i == 50)
			other.cancel();
	});

	for (int i = 0; i < 200; i++)
		stop.try_put(i);
	other.wait_for_all();
	std::printf("cancelled %d\n", other.is_cancelled());
	other.reset();
	stop.try_put(1);
	other.wait_for_all();
	std::printf("cancelled %d\n", other.is_cancelled());
}

int main()
{
	in_arena(all);
}
