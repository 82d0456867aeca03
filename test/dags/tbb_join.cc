// SPDX-License-Identifier: MIT
/* tbb_join.cc - function_nodes behind queueing join_nodes, which have a port for each predecessor.
 */
#include <deque>
#include <memory>
#include <oneapi/tbb/flow_graph.h>

#include "dags.h"
#include "dags_tbb.hh"

using namespace tbb::flow;
using message = int;

/* Whoever takes messages of as many predecessors. */
struct node {
	std::unique_ptr<graph_node> join, body;
	sender<message> *out;
	receiver<message> *in; /* of a node without predecessors */
};

static std::deque<node> all;

template <typename Tuple, std::size_t... port>
static void join(graph &g, int i, std::index_sequence<port...>)
{
	auto *join = new join_node<Tuple, queueing>(g);
	auto *body = new function_node<Tuple, message>(g, unlimited, [i](const Tuple &) {
		dags_body(i);
		return i;
	});

	make_edge(*join, *body);
	(make_edge(*all[dags_node[i].before[port]].out, input_port<port>(*join)), ...);
	all.push_back({ std::unique_ptr<graph_node>(join), std::unique_ptr<graph_node>(body), body,
			nullptr });
}

static void one(graph &g, int i)
{
	auto *body =
		new function_node<message, message>(g, i % 2 ? unlimited : serial, [i](message) {
			dags_body(i);
			return i;
		});

	all.push_back({ nullptr, std::unique_ptr<graph_node>(body), body, body });
	if (dags_node[i].n_before)
		make_edge(*all[dags_node[i].before[0]].out, *body);
}

void dags_run(void)
{
	using m = message;
	workers set;
	graph g;

	for (int i = 0; i < dags_n; i++)
		switch (dags_node[i].n_before) {
		case 2:
			join<std::tuple<m, m>>(g, i, std::make_index_sequence<2>());
			break;
		case 3:
			join<std::tuple<m, m, m>>(g, i, std::make_index_sequence<3>());
			break;
		case 4:
			join<std::tuple<m, m, m, m>>(g, i, std::make_index_sequence<4>());
			break;
		default:
			one(g, i);
		}
	for (int i = 0; i < dags_n; i++)
		if (!dags_node[i].n_before)
			all[i].in->try_put(i);
	g.wait_for_all();
	all.clear();
}
