/* SPDX-License-Identifier: MIT */
/* A node's gaps between members hold what was there before: here pointers to what looks like a
 * body. */
#include <cstdio>
#include <cstring>
#include <new>

#include <oneapi/tbb/flow_graph.h>

using node = tbb::flow::function_node<int, int>;

static int ran;

static bool is_near(const void *a, const void *b)
{
	return (size_t)((const char *)a - (const char *)b + (1 << 24)) < 1 << 25;
}

/* The first word of the objects that two words of the node, one after the other, point to. */
static void *body_class(const node &of)
{
	void *word[sizeof(node) / sizeof(void *)];

	memcpy(word, &of, sizeof(word));
	for (size_t i = 1; i + 1 < sizeof(word) / sizeof(*word); i++) {
		void **one = (void **)word[i], **two = (void **)word[i + 1];

		if (one && two && one != two && is_near(one, two) && !((size_t)one & 7) &&
		    !((size_t)two & 7) && *one == *two && is_near(*one, word[0]))
			return *one;
	}
	return nullptr;
}

static void run_in(void *room, tbb::flow::graph &graph)
{
	node *made = new (room) node(graph, 1, [](int i) { return ran += i; });

	for (int i = 0; i < 10; i++)
		made->try_put(1);
	graph.wait_for_all();
	made->~node();
}

int main()
{
	alignas(256) static void *fake[8];
	alignas(64) static char room[sizeof(node)];
	tbb::flow::graph graph;
	node first(graph, 1, [](int i) { return i; });
	void *at = fake;

	fake[0] = body_class(first);
	for (size_t i = 0; i + sizeof(at) <= sizeof(room); i += sizeof(at))
		memcpy(room + i, &at, sizeof(at));
	run_in(room, graph);
	memset(room, 1, sizeof(room));
	run_in(room, graph);
	printf("ran %d%s\n", ran, fake[0] ? "" : ", no body was found");
	return ran != 20;
}
