/* SPDX-License-Identifier: MIT */
/* cycles_test.c - strongly connected components of random graphs, against what reaches what. */
#include "tools/analysis/cycles.h"

#include "test/lib/test.h"
#include "test/unit/random.h"

#define NODES 12u
#define DEEP 100000u

static void check(const uint64_t *edge, uint32_t n_edges, uint32_t n)
{
	uint64_t sorted[3 * NODES];
	uint32_t cycle[NODES + 1];
	int reaches[NODES][NODES] = { { 0 } };

	for (uint32_t e = 0; e < n_edges; e++)
		reaches[edge[e] >> 32][(uint32_t)edge[e]] = 1;
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; j < n; j++)
				reaches[i][j] |= reaches[i][k] && reaches[k][j];
	memcpy(sorted, edge, n_edges * sizeof(*edge));
	cycle[n] = 0x5eed; /* is not touched */
	cycles_find(sorted, n_edges, n, cycle);
	assert_int_equal(cycle[n], 0x5eed);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t least = 0;

		while (least != i && !(reaches[i][least] && reaches[least][i]))
			least++;
		assert_int_equal(cycle[i], least);
	}
}

TEST(test_random)
{
	struct random random = { 7 };

	for (int i = 0; i < 20000; i++) {
		uint32_t n = 1 + (uint32_t)random_below(&random, NODES);
		uint32_t n_edges = (uint32_t)random_below(&random, 3 * NODES);
		uint64_t edge[3 * NODES];

		for (uint32_t e = 0; e < n_edges; e++)
			edge[e] = cycles_edge((uint32_t)random_below(&random, n),
					      (uint32_t)random_below(&random, n));
		check(edge, n_edges, n);
	}
}

/* A chain as long as no stack would be deep, and the same closed to a ring. */
TEST(test_deep)
{
	static uint64_t edge[DEEP];
	static uint32_t cycle[DEEP];

	for (uint32_t i = 0; i + 1 < DEEP; i++)
		edge[i] = cycles_edge(i, i + 1);
	cycles_find(edge, DEEP - 1, DEEP, cycle);
	assert_int_equal(cycle[DEEP - 1], DEEP - 1);
	edge[DEEP - 1] = cycles_edge(DEEP - 1, 0);
	cycles_find(edge, DEEP, DEEP, cycle);
	assert_int_equal(cycle[DEEP - 1], 0);
}
