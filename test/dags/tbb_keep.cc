// SPDX-License-Identifier: MIT
/* tbb_keep.cc - function_nodes behind reserving join_nodes; each edge is a buffer of its own. */
#include <deque>
#include <memory>
#include <oneapi/tbb/flow_graph.h>

#include "dags.h"
#include "dags_tbb.hh"

using namespace tbb::flow;

static std::deque<std::unique_ptr<graph_node>> nodes;
static std::deque<function_node<int, int> *> body;

template <typename Node, typename... Arguments> static Node &make(graph &g, Arguments... arguments)
{
	auto *node = new Node(g, arguments...);

	nodes.emplace_back(node);
	return *node;
}

/* From node `from`: its message, in a buffer. */
static sender<int> &buffered(graph &g, int from)
{
	static unsigned n;
	buffer_node<int> *buffer;

	switch (n++ % 3) {
	case 0:
		buffer = &make<buffer_node<int>>(g);
		break;
	case 1:
		buffer = &make<queue_node<int>>(g);
		break;
	default:
		buffer = &make<sequencer_node<int>>(g, [](int) { return (std::size_t)0; });
	}
	make_edge(*body[from], *buffer);
	return *buffer;
}

template <typename Tuple, std::size_t... port>
static void join(graph &g, int i, std::index_sequence<port...>)
{
	auto &join = make<join_node<Tuple, reserving>>(g);
	auto &all = make<function_node<Tuple, int>>(g, unlimited, [](const Tuple &) { return 0; });

	make_edge(join, all);
	(make_edge(buffered(g, dags_node[i].before[port]), input_port<port>(join)), ...);
	make_edge(all, *body[i]);
}

void dags_run(void)
{
	using m = int;
	workers set;
	graph g;

	for (int i = 0; i < dags_n; i++) {
		body.push_back(&make<function_node<int, int>>(g, unlimited, [i](int) {
			dags_body(i);
			return i;
		}));
		switch (dags_node[i].n_before) {
		case 1:
			make_edge(buffered(g, dags_node[i].before[0]), *body[i]);
			break;
		case 2:
			join<std::tuple<m, m>>(g, i, std::make_index_sequence<2>());
			break;
		case 3:
			join<std::tuple<m, m, m>>(g, i, std::make_index_sequence<3>());
			break;
		case 4:
			join<std::tuple<m, m, m, m>>(g, i, std::make_index_sequence<4>());
			break;
		}
	}
	for (int i = 0; i < dags_n; i++)
		if (!dags_node[i].n_before)
			body[i]->try_put(i);
	g.wait_for_all();
	nodes.clear();
}
