/* SPDX-License-Identifier: MIT */
/* events_test.c - what events do, and which of several at one time comes first. */

#include "test/lib/test.h"
#include "test/unit/trace.h"
#include "tools/dag/dag.h"

#define ROOT_AND "tptrace text 2\nclock ns\n0 w0 root 0.1\n"

static struct dag dag;
static struct reader *reader;
static struct err err;

static int build(const char *text)
{
	assert_int_equal(trace_open(&reader, text, strlen(text), &err), 0);
	return dag_build(&dag, reader, &err);
}

static int end(void **state)
{
	dag_free(&dag);
	reader_close(reader);
	reader = NULL;
	return 0;
}

/* All that happens at one time is brought into an order in which it can have happened. */
TEST_WITH(test_order, NULL, end)
{
	assert_int_equal(build(ROOT_AND "5 w2 resume 0.1\n5 w2 end\n"
					"5 w1 begin 0.2\n5 w1 end\n"
					"5 w0 create 0.2 site=1\n5 w0 resume 0.1\n"
					"5 w0 wait children site=1\n"),
			 0);
	assert_int_equal(dag.n_strands, 4);
	assert_int_equal(dag.n_ended, 2);
	assert_int_equal(dag.n_extras, 1); /* the root joins its child */
	assert_null(dag_check(&dag));
}

/* A task that depends on another begins after it, a member of a team meets all others first. */
TEST_WITH(test_order_of_dependence, NULL, end)
{
	assert_int_equal(build(ROOT_AND "1 w0 create 0.2 site=1\n- w0 depend out 0x10\n"
					"1 w0 resume 0.1\n2 w0 create 0.3 site=1\n"
					"- w0 depend in 0x10\n2 w0 resume 0.1\n"
					"5 w1 begin 0.3\n5 w1 end\n5 w2 begin 0.2\n5 w2 end\n"),
			 0);
	assert_int_equal(dag.n_extras, 1);
	assert_int_equal(dag_edge_kind(&dag, dag.extra[0].from, dag.extra[0].to), EDGE_DEPEND);
}

/* oneTBB's waiters go on before a task's code returns: it is over when nothing but its end comes.
 */
TEST_WITH(test_end_early, NULL, end)
{
	assert_int_equal(build(ROOT_AND "1 w0 create 0.2 site=1\n- w0 bag 0x10\n1 w0 resume 0.1\n"
					"2 w1 begin 0.2\n3 w0 wait bag site=1\n- w0 object 0x10\n"
					"5 w0 resume 0.1\n9 w1 end\n10 w0 end\n"),
			 0);
	assert_int_equal(dag.n_extras, 1);
	assert_int_equal(dag_end(&dag, dag.extra[0].from), 5);
	assert_int_equal(dag.n_ended, 2);
}

/* An empty task is complete when all is said of it: who waits for it is after what it depends on.
 */
TEST_WITH(test_empty, NULL, end)
{
	assert_int_equal(build(ROOT_AND "1 w0 create 0.2 site=1\n- w0 depend out 0x10\n"
					"1 w0 resume 0.1\n2 w1 begin 0.2\n4 w1 end\n"
					"5 w0 create 0.3 site=1 empty\n- w0 depend in 0x10\n"
					"5 w0 resume 0.1\n6 w0 wait children site=1\n"
					"6 w0 resume 0.1\n7 w0 end\n"),
			 0);
	assert_true(dag.task_state[2] & TASK_EMPTY);
	assert_int_equal(dag.n_extras, 2); /* of that task, and for the empty one */
	assert_int_equal(dag.extra[0].from, dag.extra[1].from);
	assert_int_equal(dag.strand[dag.extra[1].from].task, 1);
}

static void refused(const char *text, const char *why)
{
	assert_int_equal(build(text), -EPROTO);
	assert_non_null(strstr(err.text, why));
	reader_close(reader);
	reader = NULL;
}

TEST_WITH(test_refused, NULL, end)
{
	refused(ROOT_AND "1 w1 end\n", "worker 1 runs nothing then");
	refused(ROOT_AND "1 w0 root 0.2\n", "worker 0 runs something else then");
}

/* Where threads were not recorded, a strand may end that nobody saw begin; what it makes is known.
 */
TEST_WITH(test_unseen, NULL, end)
{
	assert_int_equal(build("tptrace text 2\nclock ns\nmeta unrecorded_threads 1\n"
			       "0 w0 root 0.1\n1 w1 end\n2 w1 create 1.1 site=4\n"
			       "3 w1 begin 1.1\n4 w1 end\n5 w1 wait children site=1\n"
			       "6 w1 signal 0x10\n7 w1 yield\n"
			       "8 w1 fork 1.2 site=5\n9 w1 member 1.3 of 1.2\n10 w1 end\n"
			       "11 w0 end\n"),
			 0);
	assert_int_equal(dag.n_tasks, 3);
	assert_int_equal(dag.n_strands, 3);
	assert_int_equal(dag.strand[1].pred, STRAND_NONE);
	assert_int_equal(dag.kind_site[dag.task_kind[1]], 4);
	assert_int_equal(dag.kind_site[dag.task_kind[2]], 5);
	assert_int_equal(dag.n_found, 0);
}
