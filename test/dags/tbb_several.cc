// SPDX-License-Identifier: MIT
/*
 * tbb_several.cc - nodes that take 1 to 3 messages at once, by the seed: function_nodes and
 * multifunction_nodes that reject others, an async_node that queues them, and a limiter.
 *
 * Each message leads from the node that made it to the one that takes it.  Whose end lets another
 * begin is as it went.
 */
#include <atomic>
#include <deque>
#include <oneapi/tbb/flow_graph.h>

#include "dags.h"
#include "dags_tbb.hh"

using namespace tbb::flow;

static int n;
static std::atomic<int> n_behind;

static int before(int i)
{
	dags_body(i);
	return i;
}

static int behind(int i)
{
	int node = n + n_behind++;

	dags_link(i, node);
	dags_body(node);
	return i;
}

static void link_none(void)
{
	for (int to = 0; to < dags_n; to++)
		for (int from = 0; from < to; from++) {
			dags_edge[from][to] = 0;
			dags_may[from][to] = 1;
		}
}

/* n tasks put a message each to `first`. */
static void run(graph &g, receiver<int> &first)
{
	std::deque<function_node<int, int>> all;

	for (int i = 0; i < n; i++) {
		all.emplace_back(g, unlimited, before);
		make_edge(all[i], first);
	}
	for (int i = 0; i < n; i++)
		all[i].try_put(i);
	g.wait_for_all();
}

static void limit(graph &g, buffer_node<int> &buffer, size_t at_once)
{
	limiter_node<int> limiter(g, at_once);
	function_node<int, continue_msg> node(g, unlimited, [](int i) {
		behind(i);
		return continue_msg();
	});

	make_edge(buffer, limiter);
	make_edge(limiter, node);
	make_edge(node, limiter.decrementer());
	run(g, buffer);
}

void dags_run(void)
{
	using several = multifunction_node<int, std::tuple<int>, rejecting>;
	using outside = async_node<int, int, queueing>;
	workers set;
	graph g;
	queue_node<int> queue(g);
	buffer_node<int> buffer(g);
	size_t at_once = 1 + dags_seed / 4 % 3;

	n = dags_n / 2;
	dags_n = 2 * n;
	link_none();
	function_node<int, int, rejecting> one(g, at_once, behind);
	several many(g, at_once, [](int i, several::output_ports_type &) { behind(i); });
	outside far(g, at_once, [](int i, outside::gateway_type &gateway) {
		gateway.try_put(behind(i));
	});
	switch (dags_seed % 4) {
	case 0:
		make_edge(queue, one);
		return run(g, queue);
	case 1:
		make_edge(buffer, many);
		return run(g, buffer);
	case 2:
		return run(g, far);
	default:
		return limit(g, buffer, at_once);
	}
}
