// SPDX-License-Identifier: MIT
/*
 * tbb_limit.cc - a limiter that lets one message through at a time, from an input_node or, by odd
 * seeds, from nodes and a queue.
 */
#include <deque>
#include <oneapi/tbb/flow_graph.h>

#include "dags.h"
#include "dags_tbb.hh"

using namespace tbb::flow;

static int n, n_behind;

/* An input_node waits for its turn, others do not. */
static int number_before(int i)
{
	return dags_seed % 2 ? i : 2 * i;
}

static int number_behind(int k)
{
	return dags_seed % 2 ? n + k : 2 * k + 1;
}

static int before(int i)
{
	dags_body(number_before(i));
	return i;
}

static continue_msg behind(int i)
{
	int k = n_behind++;

	dags_link(number_before(i), number_behind(k));
	if (k)
		dags_link(number_behind(k - 1), number_behind(k));
	dags_body(number_behind(k));
	return continue_msg();
}

static void link_none(void)
{
	for (int to = 0; to < dags_n; to++)
		for (int from = 0; from < to; from++) {
			dags_edge[from][to] = 0;
			dags_may[from][to] = 1; /* by a task that a node has of its own */
		}
}

void dags_run(void)
{
	workers set;
	graph g;
	limiter_node<int> limiter(g, 1);
	function_node<int, continue_msg> after(g, unlimited, behind);
	std::deque<function_node<int, int>> all;
	queue_node<int> queue(g);
	int made = 0;

	n = dags_n / 2;
	dags_n = 2 * n;
	link_none();
	input_node<int> input(g, [&made](tbb::flow_control &control) {
		if (made == n)
			control.stop();
		return made < n ? before(made++) : 0;
	});
	make_edge(limiter, after);
	make_edge(after, limiter.decrementer());
	for (int i = 0; i < n && dags_seed % 2; i++) {
		all.emplace_back(g, unlimited, before);
		make_edge(all[i], queue);
	}
	if (dags_seed % 2)
		make_edge(queue, limiter);
	else
		make_edge(input, limiter);
	for (int i = 0; i < n && dags_seed % 2; i++)
		all[i].try_put(i);
	if (dags_seed % 2 == 0)
		input.activate();
	g.wait_for_all();
}
