/* SPDX-License-Identifier: MIT */
/* cycles.h - which nodes of a directed graph reach one another. */
#pragma once

#include <stdint.h>

/* An edge: from << 32 | to. */
static inline uint64_t cycles_edge(uint32_t from, uint32_t to)
{
	return (uint64_t)from << 32 | to;
}

/*
 * cycle[v] is the least node that v reaches and that reaches v, for v in 0..n-1; v itself reaches
 * v.  Sorts the edges, whose nodes are below n.  [Tarjan 1972, strongly connected components]
 */
void cycles_find(uint64_t *edge, uint64_t n_edges, uint32_t n, uint32_t *cycle);
