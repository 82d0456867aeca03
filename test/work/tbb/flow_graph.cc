// SPDX-License-Identifier: MIT
// A flow graph with sources, functions, joins, limits, a sequencer, and continue nodes; run twice.
#include <memory>
#include <oneapi/tbb/flow_graph.h>
#include "threads.hh"

using namespace tbb::flow;

static void messages()
{
	graph g;
	int next = 0;
	long sum = 0, in_order = 0, expected = 0;
	input_node<int> source(g, [&](tbb::flow_control &flow) {
		if (next == 200)
			flow.stop();
		return next++;
	});
	limiter_node<int> limiter(g, 10);
	broadcast_node<int> fork(g);
	function_node<int, long> square(g, unlimited, [](int i) { return (long)i * i; });
	function_node<int, int> same(g, 2, [](int i) { return i; });
	join_node<std::tuple<long, int>, queueing> join(g);
	function_node<std::tuple<long, int>, int> add(g, serial, [&](const auto &both) {
		sum += std::get<0>(both) + std::get<1>(both);
		return 1;
	});
	sequencer_node<int> sequencer(g, [](const int &i) { return (size_t)i; });
	function_node<int> check(g, serial, [&](int i) { in_order += i == expected++; });

	make_edge(source, limiter);
	make_edge(limiter, fork);
	make_edge(fork, square);
	make_edge(fork, same);
	make_edge(fork, sequencer);
	make_edge(sequencer, check);
	make_edge(square, input_port<0>(join));
	make_edge(same, input_port<1>(join));
	make_edge(join, add);
	function_node<int, continue_msg> release(g, serial, [](int) { return continue_msg(); });

	make_edge(add, release);
	make_edge(release, limiter.decrementer());
	source.activate();
	g.wait_for_all();
	std::printf("sum %ld in order %ld\n", sum, in_order);
}

/* A wavefront of n * n nodes. */
static void wavefront(int n)
{
	graph g;
	std::vector<std::unique_ptr<continue_node<continue_msg> > > node;
	std::vector<long> value((size_t)(n * n), 1);

	for (int i = 0; i < n * n; i++)
		node.emplace_back(new continue_node<continue_msg>(g, [&, i](const continue_msg &m) {
			if (i >= n && i % n)
				value[i] = value[i - n] + value[i - 1];
			return m;
		}));
	for (int i = 0; i < n * n; i++) {
		if (i % n != n - 1)
			make_edge(*node[i], *node[i + 1]);
		if (i + n < n * n)
			make_edge(*node[i], *node[i + n]);
	}
	for (int round = 0; round < 2; round++) {
		node[0]->try_put(continue_msg());
		g.wait_for_all();
	}
	std::printf("value %ld\n", value.back());
}

int main()
{
	in_arena([] {
		messages();
		wavefront(10);
	});
}
