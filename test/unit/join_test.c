/* SPDX-License-Identifier: MIT */
/* join_test.c - waits of every kind, signals and handles. */
#include "test/unit/floors.h"
#include "tools/dag/notes.h"

static struct live *root(void)
{
	return state_live(&f.state, ROOT);
}

static void wait(enum wire_wait kind, uint64_t object, uint64_t ns)
{
	floors_stop(&f, ROOT, ns);
	root()->ended_by = WIRE_WAIT;
	join_wait(&f.join, root(), kind);
	if (object)
		join_object(&f.join, root(), object);
}

static uint32_t go_on(uint64_t ns)
{
	f.state.ns = ns;
	assert_int_equal(join_before_resume(&f.join, root()), 0);
	floors_strand(&f, ROOT, 0, ns);
	assert_int_equal(join_resume(&f.join, root()), 0);
	return floors_edges(&f);
}

/* Another task signals the object. */
static strand_id signal_from(task_id *task, uint64_t object, uint64_t ns)
{
	strand_id strand;
	task_id claimed;

	*task = floors_create(&f, 0, 0);
	floors_begin(&f, *task, 1, ns - 1, NONE);
	strand = f.state.task_last[*task];
	floors_stop(&f, *task, ns);
	object_note(&f.state, strand, object);
	signal_give(&f.join.signals, object, strand, &claimed);
	if (claimed != TASK_NONE)
		join_signalled(&f.join, claimed);
	f.state.lane[1].open = STRAND_NONE;
	return strand;
}

FLOORS_TEST(test_children)
{
	task_id task = floors_create(&f, 0, 0);

	wait(WIRE_WAIT_CHILDREN, 0, 10);
	assert_false(join_satisfied(&f.join, root()));
	floors_begin(&f, task, 1, 20, NONE);
	floors_end(&f, task, 30);
	assert_true(join_satisfied(&f.join, root()));
	assert_int_equal(go_on(40), 1);
	assert_true(f.dag.how[f.state.newest] & STRAND_JOINS);
}

/* By the last signal since the wait began, and by no older one. */
FLOORS_TEST(test_signal)
{
	task_id task;
	strand_id strand;

	signal_from(&task, 0x10, 5);
	wait(WIRE_WAIT_OBJECT, 0x10, 10);
	assert_int_equal(go_on(15), 0);
	assert_false(f.dag.how[f.state.newest] & STRAND_JOINS);
	wait(WIRE_WAIT_OBJECT, 0x10, 20);
	strand = signal_from(&task, 0x10, 25);
	assert_int_equal(go_on(30), 1);
	assert_true(floors_edge(&f, strand));
	wait(WIRE_WAIT_OBJECT, 0, 40); /* nobody says for what */
	signal_from(&task, 0x10, 45);
	assert_int_equal(go_on(50), 0);
}

/* A task with a handle is complete when its code is over and it was signalled, in either order. */
FLOORS_TEST(test_handle)
{
	task_id task = floors_create(&f, 0, 0), signaller;
	strand_id strand;

	floors_begin(&f, task, 2, 10, NONE);
	signal_expect(&f.join.signals, 0x10, task);
	floors_end(&f, task, 20);
	assert_false(state_complete(&f.state, task));
	assert_int_equal(root()->n_open, 1);
	strand = signal_from(&signaller, 0x10, 30);
	assert_true(state_complete(&f.state, task));
	assert_int_equal(root()->n_open, 1); /* the signaller */
	wait(WIRE_WAIT_CHILDREN, 0, 40);
	assert_int_equal(go_on(40), 2);
	assert_true(floors_edge(&f, strand));
	assert_true(floors_edge(&f, f.state.task_last[task]));
}

FLOORS_TEST(test_early_signal)
{
	task_id task = floors_create(&f, 0, 0), signaller;

	signal_from(&signaller, 0x10, 5);
	floors_begin(&f, task, 2, 10, NONE);
	signal_expect(&f.join.signals, 0x10, task);
	assert_true(f.state.task_flags[task] & BUILD_SIGNALLED);
	floors_end(&f, task, 20);
	assert_true(state_complete(&f.state, task));
	task = floors_create(&f, 0, 0); /* a signal is for one task */
	floors_begin(&f, task, 2, 30, NONE);
	signal_expect(&f.join.signals, 0x10, task);
	assert_false(f.state.task_flags[task] & BUILD_SIGNALLED);
}

/* For who had the name when the wait began; if that one is not over, for who has it now. */
FLOORS_TEST(test_named)
{
	task_id one = floors_create(&f, 0, 0), two;

	ids_name(&f.state.ids, 0x10, one);
	wait(WIRE_WAIT_NAMED, 0x10, 10);
	assert_false(join_satisfied(&f.join, root()));
	assert_int_equal(join_elder(&f.join, root()), 0);
	two = floors_create(&f, 0, 0);
	ids_name(&f.state.ids, 0x10, two);
	floors_begin(&f, two, 1, 20, NONE);
	floors_end(&f, two, 30);
	assert_false(join_satisfied(&f.join, root()));
	assert_int_equal(go_on(40), 1);
	assert_true(floors_edge(&f, f.state.task_last[two]));
	assert_true(f.state.task_flags[two] & BUILD_JOINED);
	assert_false(f.state.task_flags[one] & BUILD_JOINED);
}

FLOORS_TEST(test_bag)
{
	uint32_t bag = scope_of_bag(&f.join.scopes, 0x10);
	task_id task = floors_create(&f, bag, 0);

	floors_begin(&f, task, 1, 5, NONE);
	wait(WIRE_WAIT_BAG, 0x10, 10);
	assert_ptr_equal(join_bag(&f.join, root()), &f.join.scopes.scope[bag]);
	assert_int_equal(f.join.scopes.scope[bag].n_waiting, 1);
	assert_false(join_satisfied(&f.join, root()));
	floors_end(&f, task, 20);
	assert_true(join_satisfied(&f.join, root()));
	assert_int_equal(go_on(30), 1);
	assert_int_equal(f.join.scopes.scope[bag].n_waiting, 0);
	assert_null(join_bag(&f.join, root()));
}

/* A wait that turned out to be none, or that a gap hides, leaves nothing behind. */
FLOORS_TEST(test_forgotten)
{
	uint32_t bag = scope_of_bag(&f.join.scopes, 0x10);

	wait(WIRE_WAIT_BAG, 0x10, 10);
	join_no_wait(&f.join, root());
	assert_int_equal(f.join.scopes.scope[bag].n_waiting, 0);
	assert_int_equal(go_on(10), 0);
	wait(WIRE_WAIT_TEAM, 0, 20);
	assert_int_equal(state_more_of(&f.state, root())->episode, 1);
	join_no_wait(&f.join, root());
	assert_int_equal(state_more_of(&f.state, root())->episode, 0);
	assert_int_equal(go_on(20), 0);
	floors_child(&f, 0, 20, 25);
	wait(WIRE_WAIT_CHILDREN, 0, 30);
	join_forget(&f.join, root());
	assert_int_equal(root()->ended_by, WIRE_LOST);
	assert_int_equal(go_on(40), 0);
}

/* A parent waits for an undeferred child, which nobody joins again. */
FLOORS_TEST(test_undeferred)
{
	task_id task = floors_create(&f, 0, BUILD_UNDEFERRED);

	floors_stop(&f, ROOT, 10);
	root()->ended_by = WIRE_CREATE;
	root()->created = task;
	assert_false(join_satisfied(&f.join, root()));
	floors_begin(&f, task, 1, 10, NONE);
	floors_end(&f, task, 20);
	assert_true(join_satisfied(&f.join, root()));
	assert_int_equal(go_on(20), 1);
	wait(WIRE_WAIT_CHILDREN, 0, 30);
	assert_int_equal(go_on(30), 0);
}
