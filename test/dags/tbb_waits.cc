// SPDX-License-Identifier: MIT
/* tbb_waits.cc - nodes in which a message waits without an edge: one kind by each seed. */
#include <cstdlib>
#include <oneapi/tbb/flow_graph.h>

#include "dags_tbb.hh"

using namespace tbb::flow;
using both = std::tuple<int, int>;

/* Two messages, or four where a sequence is to be turned round, of one task. */
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

static void limit(source &s)
{
	limiter_node<int> limiter(s.g, 1);

	make_edge(output_port<0>(s.node), limiter);
	make_edge(limiter, s.end);
	s.run(2);
}

static void sequence(source &s)
{
	sequencer_node<int> sequencer(s.g, [](int i) { return (size_t)i; });

	make_edge(output_port<0>(s.node), sequencer);
	make_edge(sequencer, s.end);
	s.run(4);
}

template <typename Join> static void join(source &s, Join &join)
{
	function_node<both> end(s.g, unlimited, [](const both &) {});

	make_edge(output_port<0>(s.node), input_port<0>(join));
	make_edge(output_port<1>(s.node), input_port<1>(join));
	make_edge(join, end);
	s.run(2);
}

static void match(source &s)
{
	auto key = [](int i) { return i; };
	join_node<both, key_matching<int>> node(s.g, key, key);

	join(s, node);
}

static void reserve(source &s)
{
	join_node<both, reserving> node(s.g);
	queue_node<int> queue(s.g);

	make_edge(output_port<0>(s.node), queue);
	make_edge(queue, input_port<0>(node));
	join(s, node);
}

static void run_inside(source &s)
{
	continue_node<continue_msg, lightweight> node(s.g,
						      [](continue_msg) { return continue_msg(); });
	function_node<int, continue_msg> first(s.g, unlimited, [](int) { return continue_msg(); });
	function_node<int, continue_msg> other(s.g, unlimited, [](int) { return continue_msg(); });

	make_edge(output_port<0>(s.node), first);
	make_edge(output_port<1>(s.node), other);
	make_edge(first, node);
	make_edge(other, node);
	s.run(2);
}

int main(int, char **argv)
{
	static void (*const all[])(source &) = { limit, sequence, match, reserve, run_inside };
	workers set;
	source s;

	all[std::atoi(argv[1]) % 5](s);
	return 0;
}
