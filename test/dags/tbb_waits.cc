// SPDX-License-Identifier: MIT
/* tbb_waits.cc - nodes in which a message waits without an edge: one kind by each seed. */
#include <cstdlib>
#include <oneapi/tbb/flow_graph.h>

#include "dags_tbb.hh"

using namespace tbb::flow;
using both = std::tuple<int, int>;

/* A task that puts n messages to each port. */
struct source {
	graph g;
	multifunction_node<int, both> node{ g, unlimited, [](int n, auto &ports) {
						   while (n--) {
							   std::get<0>(ports).try_put(n);
							   std::get<1>(ports).try_put(n);
						   }
					   } };
	function_node<int, int> end{ g, unlimited, [](int i) { return i; } };

	void run(int n)
	{
		node.try_put(n);
		g.wait_for_all();
	}
};

/* Who lets go says how many. */
static void limit(source &s)
{
	limiter_node<int, int> limiter(s.g, 1);
	function_node<int, int> end(s.g, unlimited, [](int) { return 1; });

	make_edge(output_port<0>(s.node), limiter);
	make_edge(limiter, end);
	make_edge(end, limiter.decrementer());
	s.run(1);
}

static void sort(source &s)
{
	priority_queue_node<int> queue(s.g);

	make_edge(output_port<0>(s.node), queue);
	make_edge(queue, s.end);
	s.run(2);
}

template <typename Join> static void join(source &s, Join &join, sender<int> &first)
{
	function_node<both> end(s.g, unlimited, [](const both &) {});

	make_edge(first, input_port<0>(join));
	make_edge(join, end);
	s.run(1);
}

static void match(source &s)
{
	auto key = [](int i) { return i; };
	join_node<both, key_matching<int>> node(s.g, key, key);

	make_edge(output_port<1>(s.node), input_port<1>(node));
	join(s, node, output_port<0>(s.node));
}

static void overwrite(source &s)
{
	join_node<both, reserving> node(s.g);
	overwrite_node<int> one(s.g);
	queue_node<int> queue(s.g);

	make_edge(output_port<0>(s.node), one);
	make_edge(output_port<1>(s.node), queue);
	make_edge(queue, input_port<1>(node));
	join(s, node, one);
}

static void run_inside(source &s)
{
	function_node<int, int, lightweight> node(s.g, serial, [](int i) noexcept { return i; });

	make_edge(output_port<0>(s.node), node);
	s.run(1);
}

int main(int, char **argv)
{
	static void (*const all[])(source &) = { limit, sort, match, overwrite, run_inside };
	workers set;
	source s;

	all[std::atoi(argv[1]) % 5](s);
	return 0;
}
