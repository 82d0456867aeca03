/* SPDX-License-Identifier: MIT */
/*
 * tbb.h - port.h over oneTBB: a task_group; where there are dependences, a flow graph.
 *
 * The number of workers is $PORT_WORKERS: oneTBB has no variable for it.
 */
#pragma once

#include <stdlib.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#ifdef PORT_WANTS_DEPENDS
#include <deque>
#include <oneapi/tbb/flow_graph.h>
#endif

#define PORT_DEPENDS 1
#define PORT_NESTS 1

#ifdef PORT_WANTS_DEPENDS
using port_node = tbb::flow::continue_node<tbb::flow::continue_msg>;

struct port_task {
	port_node *node;
};

/* All nodes are there before the first begins. */
class port_group
{
	tbb::flow::graph graph;
	std::deque<port_node> nodes;
	std::deque<port_node *> first;

      public:
	template <typename Body>
	void create_after(const Body &body, port_task *task, port_task *a, port_task *b)
	{
		nodes.emplace_back(graph, [body](const tbb::flow::continue_msg &) { body(); });
		task->node = &nodes.back();
		if (a->node)
			tbb::flow::make_edge(*a->node, *task->node);
		if (b->node)
			tbb::flow::make_edge(*b->node, *task->node);
		if (!a->node && !b->node)
			first.push_back(task->node);
	}

	void wait()
	{
		for (port_node *node : first)
			node->try_put(tbb::flow::continue_msg());
		first.clear();
		graph.wait_for_all();
	}
};
#else
struct port_task {
	char unused;
};
using port_group = tbb::task_group;
#endif

#define PORT_BODY(name, type) static void name(type *at);
#define PORT_OPEN(group) port_group group
#define PORT_CREATE(group, body, at)                                                               \
	do {                                                                                       \
		auto *port_at = (at);                                                              \
		(group).run([port_at] { body(port_at); });                                         \
	} while (0)
#define PORT_CREATE_AFTER(group, body, at, a, b)                                                   \
	do {                                                                                       \
		auto *port_at = (at);                                                              \
		(group).create_after([port_at] { body(port_at); }, &port_at->task, &(a)->task,     \
				     &(b)->task);                                                  \
	} while (0)
#define PORT_WAIT(group) (group).wait()
#define PORT_CLOSE(group) (void)(group)
#define PORT_RUN(call) port_arena.execute([&] { call; })

static tbb::global_control *port_limit;
static tbb::task_arena port_arena;

/* Both: the default arena is never larger than the machine. */
static inline void port_start(void)
{
	const char *workers = getenv("PORT_WORKERS");

	if (!workers)
		return;
	port_limit = new tbb::global_control(tbb::global_control::max_allowed_parallelism,
					     strtoul(workers, nullptr, 10));
	port_arena.initialize(atoi(workers));
}

static inline void port_stop(void)
{
	delete port_limit;
}

static inline void port_counts(void)
{
}
