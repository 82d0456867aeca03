// SPDX-License-Identifier: MIT
/*
 * tbb_queue.cc - nodes put messages to one buffer, of a kind by seed; each lets one more run, or,
 * by other seeds, one after another, which ask for them.
 */
#include <atomic>
#include <deque>
#include <oneapi/tbb/flow_graph.h>

#include "dags.h"
#include "dags_tbb.hh"

using namespace tbb::flow;

static int n; /* nodes that put; the others are numbered as they run */
static std::atomic<int> n_after;

static void take(int from)
{
	int me = n + n_after++;

	dags_link(from, me);
	dags_body(me);
}

template <typename Buffer, typename After> static void run(graph &g, Buffer &buffer, After &after)
{
	std::deque<function_node<int, int>> before;

	for (int i = 0; i < n; i++) {
		before.emplace_back(g, unlimited, [](int i) {
			dags_body(i);
			return i;
		});
		make_edge(before[i], buffer);
	}
	make_edge(buffer, after);
	for (int i = 0; i < n; i++)
		before[i].try_put(i);
	g.wait_for_all();
}

template <typename After> static void run_with(graph &g, After &after)
{
	switch (dags_seed / 2 % 3) {
	case 0: {
		queue_node<int> queue(g);
		return run(g, queue, after);
	}
	case 1: {
		buffer_node<int> buffer(g);
		return run(g, buffer, after);
	}
	default: {
		sequencer_node<int> sequencer(
			g, [](int i) { return (std::size_t)(dags_seed % 2 ? n - 1 - i : i); });
		return run(g, sequencer, after);
	}
	}
}

/* A buffer is where another node will be. */
static void *use(graph &g)
{
	alignas(64) static char place[1024];
	function_node<int, int> before(g, unlimited, [](int i) { return i; });
	auto *buffer = new (place) queue_node<int>(g);

	make_edge(before, *buffer);
	before.try_put(0);
	g.wait_for_all();
	buffer->~queue_node();
	return place;
}

template <typename After> static void run_behind(graph &g, After *after)
{
	static_assert(sizeof(*after) <= 1024, "there is a place");

	run_with(g, *after);
	after->~After();
}

void dags_run(void)
{
	using by_turns = function_node<int, continue_msg, rejecting>;
	using at_once = function_node<int>;
	workers set;
	graph g;
	void *place = use(g);

	n = dags_n / 2;
	dags_node[n].count *= 200; /* so that messages gather meanwhile */
	dags_n = 2 * n;
	for (int to = 0; to < dags_n; to++)
		for (int from = 0; from < to; from++) {
			dags_edge[from][to] = 0;
			dags_may[from][to] = 1; /* by the buffer's own task; one after another */
		}
	if (dags_seed % 2)
		run_behind(g, new (place) at_once(g, unlimited, take));
	else
		run_behind(g, new (place) by_turns(g, serial, take));
}
