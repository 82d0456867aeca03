/* SPDX-License-Identifier: MIT */
/* tally_test.c - how many tasks of each kind were collapsed, as TALLY events say. */
#include "test/unit/built.h"

/* A record of n tasks, each of 2 ns, below task 0.2 of site 1, which works for 10 ns itself. */
#define RECORD(n, work)                                                                            \
	"0 w0 root 0.1\n1 w0 create 0.2 site=1\n2 w0 resume 0.1\n90 w0 end\n"                      \
	"3 w1 begin 0.2\n- w1 collapsed made " #n "\n- w1 collapsed own 10\n"                      \
	"- w1 collapsed work " #work "\n- w1 collapsed span 12\n- w1 collapsed path 12\n"          \
	"- w1 collapsed chain 1\n- w1 collapsed tasks " #n "\n- w1 collapsed busy-0 " #work "\n"

#define SITE_2(n)                                                                                  \
	"- w1 tally site=2 tasks " #n "\n- w1 tally site=2 work 4\n"                               \
	"- w1 tally site=2 ready 6\n- w1 tally site=2 min 1\n"                                     \
	"- w1 tally site=2 max 3\n- w1 tally site=2 by-work 1 2\n"
#define SITE_5(n)                                                                                  \
	"- w1 tally site=5 tasks " #n "\n- w1 tally site=5 work 1\n- w1 tally site=5 min 1\n"

/* Those of several blocks add up; of what is least and most, the least and the most counts. */
BUILT_TEST(test_adds_up)
{
	build("tptrace text 2\n" RECORD(4, 16) "19 w1 end\n" SITE_2(2) SITE_5(
		1) "- w1 tally site=0 waits 5\n- w1 tally site=0 events 30\n"
		   "- w0 tally site=2 tasks 1\n- w0 tally site=2 work 1\n- w0 tally site=2 min 0\n"
		   "- w0 tally site=2 max 2\n- w0 tally site=2 by-work 1 1\n"
		   "- w0 tally site=0 waits 2\n");
	assert_int_equal(dag.n_kinds, 4); /* roots, 1, 2, 5 */
	assert_null(dag.kind_collapsed[1]);
	assert_int_equal(dag.kind_collapsed[2]->n_tasks, 3);
	assert_int_equal(dag.kind_collapsed[2]->work_ns, 5);
	assert_int_equal(dag.kind_collapsed[2]->ready_ns, 6);
	assert_int_equal(dag.kind_collapsed[2]->least_ns, 0);
	assert_int_equal(dag.kind_collapsed[2]->most_ns, 3);
	assert_int_equal(dag.kind_collapsed[2]->n_by_work[wire_bucket(1)], 3);
	assert_int_equal(dag.kind_collapsed[3]->n_tasks, 1);
	assert_int_equal(dag.n_collapsed_tasks, 4);
	assert_int_equal(dag.n_collapsed_waits, 7);
}

/* Where a trace was cut off, tallies are of more than the records that are left. */
BUILT_TEST(test_cut)
{
	build("tptrace text 2\n" RECORD(4, 18) "21 w1 end\n" SITE_2(9) SITE_5(3));
	assert_int_equal(dag.n_collapsed_tasks, 4);
	assert_int_equal(dag.kind_collapsed[2]->n_tasks, 3);
	assert_int_equal(dag.kind_collapsed[3]->n_tasks, 1);
}

/* They stand behind records that are whole, and may themselves be later. */
BUILT_TEST(test_after_whole)
{
	build("tptrace text 2\nwhole 50\n" RECORD(4, 18) "21 w1 end\n60 w1 begin 1.4\n" SITE_2(3)
		      SITE_5(1));
	assert_int_equal(dag.n_collapsed_tasks, 4);
	assert_int_equal(dag.kind_collapsed[2]->n_tasks, 3);
	assert_int_equal(dag.kind_collapsed[3]->n_tasks, 1);
}

/* No trace has records of tasks that nobody tallied. */
BUILT_TEST(test_refused)
{
	refuse("tptrace text 2\n" RECORD(4, 18) "21 w1 end\n" SITE_2(3),
	       "4 collapsed tasks, tallied are 3");
	refuse("tptrace text 2\n" RECORD(4, 18) "21 w1 end\n", "4 collapsed tasks, tallied are 0");
}
