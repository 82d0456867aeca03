// SPDX-License-Identifier: MIT
/* tbb_continue.cc - continue_nodes: the message of the last predecessor lets a node run. */
#include <deque>
#include <oneapi/tbb/flow_graph.h>

#include "dags.h"
#include "dags_tbb.hh"

using namespace tbb::flow;

void dags_run(void)
{
	workers set;
	graph g;
	std::deque<continue_node<continue_msg>> node;

	for (int i = 0; i < dags_n; i++) {
		node.emplace_back(g, [i](const continue_msg &) { dags_body(i); });
		for (int k = 0; k < dags_node[i].n_before; k++)
			make_edge(node[dags_node[i].before[k]], node[i]);
	}
	for (int i = 0; i < dags_n; i++)
		if (!dags_node[i].n_before)
			node[i].try_put(continue_msg());
	g.wait_for_all();
}
