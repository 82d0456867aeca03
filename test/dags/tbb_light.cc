// SPDX-License-Identifier: MIT
/*
 * tbb_light.cc - as tbb_continue.cc, but a node of several predecessors is lightweight: it runs in
 * the task that puts the last message, here one behind each predecessor that does nothing else.
 */
#include <deque>
#include <memory>
#include <oneapi/tbb/flow_graph.h>

#include "dags.h"
#include "dags_tbb.hh"

using namespace tbb::flow;

struct node {
	std::unique_ptr<graph_node> own;
	sender<continue_msg> *out;
	receiver<continue_msg> *in;
};

static std::deque<node> all;
static std::deque<continue_node<continue_msg>> between;

template <typename Node> static node make(graph &g, int i)
{
	auto *node = new Node(g, [i](const continue_msg &) { dags_body(i); });

	return { std::unique_ptr<graph_node>(node), node, node };
}

static void link(graph &g, int from, int to)
{
	if (dags_node[to].n_before == 1) {
		make_edge(*all[from].out, *all[to].in);
		return;
	}
	between.emplace_back(g, [](const continue_msg &) {});
	make_edge(*all[from].out, between.back());
	make_edge(between.back(), *all[to].in);
}

void dags_run(void)
{
	workers set;
	graph g;

	for (int i = 0; i < dags_n; i++) {
		all.push_back(dags_node[i].n_before > 1 ?
				      make<continue_node<continue_msg, lightweight>>(g, i) :
				      make<continue_node<continue_msg>>(g, i));
		for (int k = 0; k < dags_node[i].n_before; k++)
			link(g, dags_node[i].before[k], i);
	}
	for (int i = 0; i < dags_n; i++)
		if (!dags_node[i].n_before)
			all[i].in->try_put(continue_msg());
	g.wait_for_all();
	between.clear();
	all.clear();
}
