/* SPDX-License-Identifier: MIT */
/* searches_test.c - how long idle workers search, in traces in which that is planted. */
#include "test/unit/built.h"
#include "tools/model/graph.h"
#include "tools/model/searches.h"

#define HEAD                                                                                       \
	"tptrace text 2\nclock ns\nruntime 0 name=oneTBB version=x workers=2\n"                    \
	"site 1 name=t file=t.c line=1\nsite 2 name=w file=t.c line=2\n"
#define CREATES(at, task) at " w0 create " task " site=1\n" at " w0 resume 0.1\n"
/* Worker 0 runs it in a wait, at once. */
#define RUNS_ITSELF(at, task, until)                                                               \
	at " w0 wait children site=2\n" at " w0 begin " task "\n" until " w0 end\n" until          \
	   " w0 resume 0.1\n"
#define STEALS(at, task, until) at " w1 begin " task "\n" until " w1 end\n"

static struct graph graph;
static struct searches searches;

static void find(const char *text)
{
	static const struct changes none;

	build(text);
	graph_build(&graph, &dag, &none);
	searches_build(&searches, &graph, policy_find("help-first"));
}

static int end(void **state)
{
	searches_free(&searches);
	graph_free(&graph);
	return built_end(state);
}

/* How often draws give that mean, of 1. */
static double share_of(enum search what, uint64_t ns)
{
	const struct lead_spread *spread = &searches.of[what];
	double share = 0;

	for (uint32_t b = 0; b < spread->n_bins; b++) {
		double keep = (double)spread->bin[b].keep / UINT32_MAX;

		share += spread->bin[b].mean_ns == ns ? keep : 0;
		share += spread->bin[spread->bin[b].other].mean_ns == ns ? 1 - keep : 0;
	}
	return share / spread->n_bins;
}

static void assert_share(enum search what, uint64_t ns, double share)
{
	assert_true(share_of(what, ns) > share - 1e-6 && share_of(what, ns) < share + 1e-6);
}

/* Woken: 10; 20 + 30, as the first one was gone; given up after 40.  At once: 15. */
TEST_WITH(test_time_at_risk, NULL, end)
{
	find(HEAD "0 w0 root 0.1\n" CREATES("100", "0.2") STEALS("107", "0.2", "200")
		     CREATES("300", "0.3") STEALS("310", "0.3", "350") CREATES("400", "0.4")
			     RUNS_ITSELF("420", "0.4", "450") CREATES("500", "0.5")
				     STEALS("530", "0.5", "600") CREATES("590", "0.6") STEALS(
					     "615", "0.6", "650") CREATES("700", "0.7")
					     RUNS_ITSELF("740", "0.7", "800") "900 w0 end\n");
	assert_int_equal(searches.n_first, 1);
	assert_int_equal(searches.first[0], 7);
	assert_false(searches.none);
	/* three are at risk at 10, of them one is left at 50 [Kaplan and Meier 1958] */
	assert_int_equal(searches.of[SEARCH_WOKEN].n, 2);
	assert_share(SEARCH_WOKEN, 10, 1. / 3);
	assert_share(SEARCH_WOKEN, 50, 2. / 3);
	assert_share(SEARCH_AT_ONCE, 15, 1);
}

/* The longest search was given up: beyond the longest that was not, all time at risk a steal. */
TEST_WITH(test_tail, NULL, end)
{
	find(HEAD "0 w0 root 0.1\n" CREATES("100", "0.2") STEALS("107", "0.2", "200")
		     CREATES("300", "0.3") STEALS("310", "0.3", "350") CREATES("400", "0.4")
			     RUNS_ITSELF("490", "0.4", "500") "900 w0 end\n");
	assert_share(SEARCH_WOKEN, 10, .5);
	assert_share(SEARCH_WOKEN, 10 + 100, .5);
	assert_share(SEARCH_AT_ONCE, 10, .5); /* there is none, so that the other stands in */
}

TEST_WITH(test_nobody_steals, NULL, end)
{
	find(HEAD "0 w0 root 0.1\n" CREATES("100", "0.2") STEALS("107", "0.2", "200")
		     CREATES("400", "0.3") RUNS_ITSELF("490", "0.3", "500") "900 w0 end\n");
	assert_true(searches.none);
	assert_int_equal(searches.n_never, 0);
	assert_int_equal(searches.of[SEARCH_WOKEN].n_bins, 0);
}

TEST_WITH(test_nobody_came, NULL, end)
{
	find(HEAD "0 w0 root 0.1\n" CREATES("400", "0.2")
		     RUNS_ITSELF("490", "0.2", "500") "900 w0 end\n");
	assert_int_equal(searches.n_never, 1);
	assert_int_equal(searches.n_first, 0);
}
