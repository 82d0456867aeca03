/* SPDX-License-Identifier: MIT */
/*
 * dags.h - a random graph of tasks by a seed, run by one construct of one runtime.
 *
 *	./program SEED [LONGER]		nodes count LONGER times as far
 *
 * A node has a smaller number than those that come after it.  Its code reads the clock, counts, and
 * reads the clock again.  At the end the program prints what it knows of its own graph:
 *
 *	edge FROM TO
 *	may FROM TO		an edge that changes nothing, or that the run had as it went
 *	node N THREAD BEGIN END		threads by number, ns of CLOCK_MONOTONIC
 *
 * Each program has dags_run(); a node's code is dags_body(n).  A node that did not run is not
 * printed, nor are its edges.
 * With dags_tree.h the graph is a tree.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../bench/now.h"

#define DAGS_NODES 40
#define DAGS_BEFORE 4 /* predecessors of one node, at most: ports of a join */

struct dags_node {
	int n_before, before[DAGS_BEFORE];
	long count;
	int thread;
	uint64_t begin_ns, end_ns;
};

static struct dags_node dags_node[DAGS_NODES];
static char dags_edge[DAGS_NODES][DAGS_NODES]; /* [from][to] */
static char dags_may[DAGS_NODES][DAGS_NODES];  /* need not be */
static int dags_n;
static unsigned dags_seed, dags_state;

static unsigned dags_random(unsigned below)
{
	dags_state = dags_state * 1664525u + 1013904223u;
	return (unsigned)((uint64_t)dags_state * below >> 32);
}

/* OpenMP's clauses of node i: each node writes its place of `out`, and reads those of the nodes
 * before it. */
#define DAGS_AFTER(node, i)                                                                        \
	depend(iterator(k = 0 : (node)->n_before), in : out[(node)->before[k]]) depend(out : out[i])

static void dags_link(int from, int to)
{
	dags_edge[from][to] = 1;
}

__attribute__((unused)) static void dags_make(unsigned seed)
{
	dags_state = seed * 2654435761u + 1;
	dags_n = 10 + (int)dags_random(DAGS_NODES - 9);
	for (int i = 0; i < dags_n; i++) {
		struct dags_node *node = &dags_node[i];
		int most = i < DAGS_BEFORE ? i : DAGS_BEFORE;
		int near = dags_random(2) ? 6 : DAGS_NODES;

		node->n_before = (int)dags_random((unsigned)most + 1);
		node->count = 20000 + (long)dags_random(400000) * (dags_random(4) == 0);
		for (int k = 0; k < node->n_before; k++) {
			int from, again = 0;

			do {
				from = i - 1 - (int)dags_random((unsigned)(i < near ? i : near));
				again = 0;
				for (int j = 0; j < k; j++)
					again |= node->before[j] == from;
			} while (again);
			node->before[k] = from;
			dags_link(from, i);
		}
	}
}

/* This thread's number, from 1. */
static int dags_thread(void)
{
	static __thread int mine;
	static int n;

	if (!mine)
		mine = __atomic_add_fetch(&n, 1, __ATOMIC_RELAXED);
	return mine;
}

static void dags_body(int n)
{
	struct dags_node *node = &dags_node[n];
	volatile long i;

	node->thread = dags_thread();
	node->begin_ns = now_ns();
	for (i = 0; i < node->count; i = i + 1)
		;
	node->end_ns = now_ns();
}

#ifdef DAGS_TREE
static void dags_make_tree(unsigned seed);
#endif
void dags_run(void);

int main(int argc, char **argv)
{
	dags_seed = (unsigned)(argc > 1 ? atoi(argv[1]) : 1);
#ifdef DAGS_TREE
	dags_make_tree(dags_seed);
#else
	dags_make(dags_seed);
#endif
	for (int i = 0; i < dags_n && argc > 2; i++)
		dags_node[i].count *= atoi(argv[2]);
	dags_run();
	for (int i = 0; i < dags_n; i++) {
		const struct dags_node *node = &dags_node[i];

		if (!node->end_ns)
			continue;
		for (int from = 0; from < i; from++)
			if (!dags_node[from].end_ns)
				continue;
			else if (dags_edge[from][i])
				printf("edge %d %d\n", from, i);
			else if (dags_may[from][i])
				printf("may %d %d\n", from, i);
		printf("node %d %d %llu %llu\n", i, node->thread,
		       (unsigned long long)node->begin_ns, (unsigned long long)node->end_ns);
	}
	return 0;
}
