/* SPDX-License-Identifier: MIT */
/* cycles.c - strongly connected components, without recursion. */
#include "tools/analysis/cycles.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tools/base/order.h"
#include "tools/base/xalloc.h"

struct node {
	uint64_t first;	 /* edge */
	uint64_t at;	 /* the next edge to follow */
	uint32_t number; /* in the order of the search, from 1; 0: not met yet */
	uint32_t low;	 /* the least number on the stack that it reaches */
	uint32_t from;	 /* where the search came from */
	bool stacked;
};

struct search {
	const uint64_t *edge;
	struct node *node; /* n + 1: the last one ends the edges of the one before */
	uint32_t *stack;
	uint32_t n_stacked, n_met;
	uint32_t *cycle;
};

static void meet(struct search *search, uint32_t v, uint32_t from)
{
	struct node *node = &search->node[v];

	node->number = node->low = ++search->n_met;
	node->at = node->first;
	node->from = from;
	node->stacked = true;
	search->stack[search->n_stacked++] = v;
}

/* All that is on the stack from v on is one component. */
static void close_component(struct search *search, uint32_t v)
{
	uint32_t from = search->n_stacked, least = v;

	while (search->stack[--from] != v)
		if (search->stack[from] < least)
			least = search->stack[from];
	while (search->n_stacked > from) {
		uint32_t member = search->stack[--search->n_stacked];

		search->node[member].stacked = false;
		search->cycle[member] = least;
	}
}

static void lower(struct node *node, uint32_t number)
{
	if (number < node->low)
		node->low = number;
}

static void search_from(struct search *search, uint32_t start)
{
	uint32_t v = start;

	meet(search, v, v);
	for (;;) {
		struct node *node = &search->node[v];

		if (node->at < node[1].first) {
			uint32_t to = (uint32_t)search->edge[node->at++];

			if (!search->node[to].number) {
				meet(search, to, v);
				v = to;
			} else if (search->node[to].stacked) {
				lower(node, search->node[to].number);
			}
			continue;
		}
		if (node->low == node->number)
			close_component(search, v);
		if (v == start)
			return;
		v = node->from;
		lower(&search->node[v], node->low);
	}
}

void cycles_find(uint64_t *edge, uint64_t n_edges, uint32_t n, uint32_t *cycle)
{
	struct search search = { .edge = edge,
				 .node = xcalloc(n + 1ull, sizeof(*search.node)),
				 .stack = xmalloc((n + 1ull) * sizeof(*search.stack)),
				 .cycle = cycle };
	bool made = search.node && search.stack;
	uint64_t e = 0;

	SORT(edge, n_edges, order_numbers);
	for (uint32_t v = 0; v <= n && made; v++) {
		while (e < n_edges && edge[e] >> 32 < v)
			e++;
		search.node[v].first = e;
	}
	for (uint32_t v = 0; v < n && made; v++)
		if (!search.node[v].number)
			search_from(&search, v);
	free(search.node);
	free(search.stack);
}
