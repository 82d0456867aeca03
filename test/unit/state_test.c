/* SPDX-License-Identifier: MIT */
/* state_test.c - strands, edges and tasks of a dag in the making. */
#include "test/unit/floors.h"

FLOORS_TEST(test_lengths)
{
	state_set_end(&f.state, ROOT, STRAND_LONG - 1);
	assert_int_equal(dag_length(&f.dag, ROOT), STRAND_LONG - 1);
	assert_int_equal(f.dag.lengths.n, 0);
	state_set_end(&f.state, ROOT, STRAND_LONG);
	assert_int_equal(dag_length(&f.dag, ROOT), STRAND_LONG);
	assert_int_equal(f.dag.lengths.n, 1);
	state_set_end(&f.state, ROOT, UINT64_C(1) << 40);
	assert_int_equal(dag_length(&f.dag, ROOT), UINT64_C(1) << 40);
	state_set_end(&f.state, ROOT, 7);
	assert_int_equal(dag_length(&f.dag, ROOT), 7);
}

/* A place that waits for two things is two waits. */
FLOORS_TEST(test_wait)
{
	strand_id second;

	assert_null(dag_wait_of(&f.dag, ROOT));
	floors_stop(&f, ROOT, 10);
	second = floors_strand(&f, ROOT, 0, 20);
	state_wait(&f.state, ROOT, 7, WIRE_WAIT_CHILDREN);
	state_wait(&f.state, second, 7, WIRE_WAIT_GROUP);
	assert_int_equal(dag_wait_of(&f.dag, ROOT)->site, 7);
	assert_int_equal(dag_wait_of(&f.dag, ROOT)->what, WIRE_WAIT_CHILDREN);
	assert_int_equal(dag_wait_of(&f.dag, second)->what, WIRE_WAIT_GROUP);
	state_wait(&f.state, second, 7, WIRE_WAIT_CHILDREN);
	assert_ptr_equal(dag_wait_of(&f.dag, second), dag_wait_of(&f.dag, ROOT));
	assert_int_equal(f.dag.n_waits, 3);
}

/* More waits than a byte has numbers for. */
FLOORS_TEST(test_many_waits)
{
	strand_id s[2 * DAG_WAIT_LARGE];

	for (uint32_t i = 0; i < 2 * DAG_WAIT_LARGE; i++) {
		s[i] = i ? floors_strand(&f, ROOT, 0, 20 + i) : ROOT;
		state_wait(&f.state, s[i], 1 + i, WIRE_WAIT_CHILDREN);
		assert_int_equal(dag_wait_number(&f.dag, s[i]), f.dag.n_waits - 1);
		floors_stop(&f, ROOT, 20 + i);
	}
	for (uint32_t i = 0; i < 2 * DAG_WAIT_LARGE; i++)
		assert_int_equal(dag_wait_of(&f.dag, s[i])->site, 1 + i);
	dag_set_wait(&f.dag, s[2 * DAG_WAIT_LARGE - 1], 0);
	assert_null(dag_wait_of(&f.dag, s[2 * DAG_WAIT_LARGE - 1]));
}

/* From the first gap on, what has not ended leads nowhere. */
FLOORS_TEST(test_edge)
{
	strand_id second;

	floors_stop(&f, ROOT, 10);
	second = floors_strand(&f, ROOT, 0, 20);
	assert_int_equal(state_edge(&f.state, ROOT), 0);
	assert_true(floors_edge(&f, ROOT));
	assert_true(f.dag.how[second] & STRAND_EXTRA);
	floors_child(&f, 0, 20, 30);
	f.state.lossy_ns = 0;
	assert_true(state_is_open(&f.state, second));
	assert_int_equal(state_edge(&f.state, second), 0);
	assert_int_equal(floors_edges(&f), 0);
	floors_stop(&f, ROOT, 40);
	f.state.ns = 39;
	assert_true(state_is_open(&f.state, second)); /* its end lies ahead */
	f.state.ns = 40;
	assert_false(state_is_open(&f.state, second));
	assert_int_equal(state_edge(&f.state, second), 0);
	assert_int_equal(floors_edges(&f), 1);
}

FLOORS_TEST(test_complete)
{
	task_id task = floors_child(&f, 0, 5, 10);

	assert_true(state_complete(&f.state, task));
	f.state.task_flags[task] |= BUILD_HANDLE;
	assert_false(state_complete(&f.state, task));
	f.state.task_flags[task] |= BUILD_SIGNALLED;
	assert_true(state_complete(&f.state, task));
	assert_false(state_complete(&f.state, ROOT));
	assert_true(state_is_running(&f.state, ROOT));
	assert_false(state_is_running(&f.state, task));
}

/* What a task that ended leaves is used again; who lives stays what it was. */
FLOORS_TEST(test_live)
{
	task_id one = floors_create(&f, 0, 0), two = floors_create(&f, 0, 0);
	struct live *live = floors_begin(&f, one, 1, 5, NONE);
	uint32_t slot = f.state.task_slot[one];

	assert_int_equal(live->parent, ROOT);
	assert_null(state_live(&f.state, two));
	floors_end(&f, one, 6);
	assert_null(state_live(&f.state, one));
	floors_begin(&f, two, 1, 7, NONE);
	assert_int_equal(f.state.task_slot[two], slot);
	assert_int_equal(state_live(&f.state, two)->task, two);
	assert_int_equal(state_live(&f.state, ROOT)->task, ROOT);
	assert_null(state_live(&f.state, TASK_NONE));
}

FLOORS_TEST(test_errors)
{
	f.event = (struct event){ .kind = WIRE_YIELD };
	f.state.worker = 2;
	assert_int_equal(state_contradicts(&f.state, "%u of them", 3), -EPROTO);
	assert_non_null(strstr(f.err.text, "w2 yield site=0` contradicts the trace: 3 of them"));
	assert_int_equal(state_unless_lossy(&f.state, "x"), -EPROTO);
	f.state.lossy_ns = f.state.ns;
	assert_int_equal(state_unless_lossy(&f.state, "x"), 0);
}

/* Arrays grow, and keep what is in them. */
FLOORS_TEST(test_many)
{
	for (uint32_t i = 1; i < 5000; i++)
		assert_int_equal(floors_child(&f, (uint8_t)(i % 2), i, i + 1), i);
	for (uint32_t i = 1; i < 5000; i++) {
		assert_int_equal(dag_start(&f.dag, f.state.task_last[i]), i);
		assert_int_equal(f.state.task_flags[i], i % 2);
	}
	assert_int_equal(f.state.n_live, 2); /* no more than live at once */
}
