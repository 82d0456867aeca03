// SPDX-License-Identifier: MIT
/*
 * tbb_pipeline.cc - filters of random modes; as many tokens at once as the seed says.
 *
 * A node is one call of a filter, by the order in which they began.  Which token a filter that is
 * out of order takes next is as it went; so is whose end lets a token begin, where ends, or tokens,
 * are in no order.
 */
#include <atomic>
#include <oneapi/tbb/parallel_pipeline.h>

#include "dags.h"
#include "dags_tbb.hh"

using tbb::filter_mode;

static int n_filters, n_tokens, n_ended, limit;
static filter_mode mode[DAGS_NODES];
static int last_at[DAGS_NODES];		    /* the token that a serial filter had last, + 1 */
static int ended[DAGS_NODES];		    /* in their order */
static int node_of[DAGS_NODES][DAGS_NODES]; /* [token][filter] */
static std::atomic<int> n_nodes, n_begun;

static void visit(int token, int filter)
{
	int node = node_of[token][filter] = n_nodes++;

	if (mode[filter] != filter_mode::parallel) {
		if (last_at[filter])
			dags_link(node_of[last_at[filter] - 1][filter], node);
		last_at[filter] = token + 1;
	}
	if (filter)
		dags_link(node_of[token][filter - 1], node);
	dags_body(node);
	if (filter == n_filters - 1 && mode[filter] != filter_mode::parallel)
		ended[n_ended++] = token;
}

static filter_mode random_mode(void)
{
	static const filter_mode modes[] = { filter_mode::serial_in_order,
					     filter_mode::serial_out_of_order,
					     filter_mode::parallel };

	return modes[dags_random(3)];
}

static void make(void)
{
	n_filters = 2 + (int)dags_random(3);
	n_tokens = dags_n / n_filters;
	limit = 1 + (int)dags_random(5);
	dags_n = n_tokens * n_filters;
	for (int i = 0; i < n_filters; i++)
		mode[i] = random_mode();
	for (int to = 0; to < dags_n; to++)
		for (int from = 0; from < to; from++)
			dags_edge[from][to] = 0;
}

/* The k-th token follows the end of the (k - limit)th; whoever ended last may have made its task.
 */
static void link_ends(void)
{
	for (int token = 0; token < n_tokens; token++) {
		int to = node_of[token][0];

		for (int from = 0; from < n_tokens; from++)
			if (node_of[from][n_filters - 1] < to)
				dags_may[node_of[from][n_filters - 1]][to] = 1;
		if (token >= limit && mode[0] != filter_mode::parallel &&
		    mode[n_filters - 1] != filter_mode::parallel)
			dags_link(node_of[ended[token - limit]][n_filters - 1], to);
	}
}

void dags_run(void)
{
	workers set;

	make();
	auto middle = [](int filter) {
		return tbb::make_filter<int, int>(mode[filter], [filter](int token) {
			visit(token, filter);
			return token;
		});
	};
	tbb::filter<void, int> all =
		tbb::make_filter<void, int>(mode[0], [](tbb::flow_control &control) {
			int token = n_begun++;

			if (token >= n_tokens) {
				control.stop();
				return 0;
			}
			visit(token, 0);
			return token;
		});
	for (int i = 1; i < n_filters - 1; i++)
		all &= middle(i);
	tbb::parallel_pipeline((size_t)limit, all & tbb::make_filter<int, void>(
							    mode[n_filters - 1], [](int token) {
								    visit(token, n_filters - 1);
							    }));
	link_ends();
}
