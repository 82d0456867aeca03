/* SPDX-License-Identifier: MIT */
/* tally_test.c - how many tasks of each kind were collapsed: as told, shared out, or guessed. */
#include "test/unit/built.h"

/* A record of n tasks, each of 2 ns, below task 0.2 of site 1, which works for 10 ns itself. */
#define RECORD(n, work)                                                                            \
	"0 w0 root 0.1\n1 w0 create 0.2 site=1\n2 w0 resume 0.1\n90 w0 end\n"                      \
	"3 w1 begin 0.2\n- w1 collapsed made " #n "\n- w1 collapsed own 10\n"                      \
	"- w1 collapsed work " #work "\n- w1 collapsed span 12\n- w1 collapsed path 12\n"          \
	"- w1 collapsed chain 1\n- w1 collapsed tasks " #n "\n- w1 collapsed busy-0 " #work "\n"

static void test_told(void **state)
{
	(void)state;
	build("tptrace text 2\nmeta collapsed_waits 7\n"
	      "collapsed 2 tasks=3 work=5 ready=6 min=1 max=3 by-work=1:2,3:1\n"
	      "collapsed 5 tasks=1 work=1 ready=0 min=1 max=1 by-work=1:1\n" RECORD(
		      4, 16) "19 w1 end\n");
	assert_int_equal(dag.n_kinds, 4); /* roots, 1, 2, 5 */
	assert_null(dag.kind_collapsed[1]);
	assert_int_equal(dag.kind_collapsed[2]->n_tasks, 3);
	assert_int_equal(dag.kind_collapsed[2]->work_ns, 5);
	assert_int_equal(dag.kind_collapsed[2]->ready_ns, 6);
	assert_int_equal(dag.kind_collapsed[2]->least_ns, 1);
	assert_int_equal(dag.kind_collapsed[2]->most_ns, 3);
	assert_int_equal(dag.kind_collapsed[2]->n_by_work[wire_bucket(1)], 2);
	assert_int_equal(dag.kind_collapsed[3]->n_tasks, 1);
	assert_int_equal(dag.n_collapsed_tasks, 4);
	assert_int_equal(dag.n_collapsed_waits, 7);
	assert_int_equal(dag.n_untold, 0);
}

/* A killed program's tallies are behind its records: the rest is shared out in proportion. */
static void test_behind(void **state)
{
	(void)state;
	build("tptrace text 2\ncollapsed 2 tasks=3 work=5 ready=6 min=1 max=3 by-work=1:2,3:1\n"
	      "collapsed 5 tasks=1 work=1 ready=0 min=1 max=1 by-work=1:1\n" RECORD(
		      8, 26) "29 w1 end\n");
	assert_int_equal(dag.n_untold, 4);
	assert_int_equal(dag.kind_collapsed[2]->n_tasks, 6);
	assert_int_equal(dag.kind_collapsed[3]->n_tasks, 2);
}

/* Where a trace was cut off they are ahead. */
static void test_ahead(void **state)
{
	(void)state;
	build("tptrace text 2\ncollapsed 2 tasks=9 work=5 ready=6 min=1 max=3 by-work=1:9\n"
	      "collapsed 5 tasks=3 work=1 ready=0 min=1 max=1 by-work=1:3\n" RECORD(
		      4, 18) "21 w1 end\n");
	assert_int_equal(dag.n_untold, 0);
	assert_int_equal(dag.n_collapsed_tasks, 4);
	assert_int_equal(dag.kind_collapsed[2]->n_tasks, 3);
	assert_int_equal(dag.kind_collapsed[3]->n_tasks, 1);
}

/* Without any they count as tasks of the record's own kind. */
static void test_guessed(void **state)
{
	(void)state;
	build("tptrace text 2\n" RECORD(4, 18) "21 w1 end\n");
	assert_int_equal(dag.n_untold, 4);
	assert_int_equal(dag.kind_collapsed[1]->n_tasks, 4);
	assert_int_equal(dag.kind_collapsed[1]->work_ns, 8);
	assert_int_equal(dag.kind_collapsed[1]->least_ns, 2);
	assert_int_equal(dag.kind_collapsed[1]->n_by_work[wire_bucket(2)], 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		built_test(test_told),
		built_test(test_behind),
		built_test(test_ahead),
		built_test(test_guessed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
