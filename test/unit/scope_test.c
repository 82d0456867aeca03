/* SPDX-License-Identifier: MIT */
/* scope_test.c - who may join which tasks, and that each is joined once. */
#include "test/unit/floors.h"

static struct live *root(void)
{
	return state_live(&f.state, ROOT);
}

/* The root goes on in a new strand. */
static void go_on(uint64_t ns)
{
	floors_stop(&f, ROOT, ns);
	floors_strand(&f, ROOT, 0, ns);
}

/* The root joined that task, and no other; `error` is of who joined. */
static void expect_joined(int error, task_id task)
{
	assert_int_equal(error, 0);
	assert_int_equal(floors_edges(&f), 1);
	assert_true(floors_edge(&f, f.state.task_last[task]));
}

FLOORS_TEST(test_children)
{
	task_id one = floors_child(&f, 0, 10, 20), two = floors_child(&f, 0, 20, 30);

	assert_int_equal(root()->n_open, 0);
	go_on(40);
	assert_int_equal(scope_take_children(&f.join.scopes, root()), 0);
	assert_int_equal(floors_edges(&f), 2);
	assert_true(floors_edge(&f, f.state.task_last[one]));
	assert_true(floors_edge(&f, f.state.task_last[two]));
	go_on(50);
	assert_int_equal(scope_take_children(&f.join.scopes, root()), 0);
	assert_int_equal(floors_edges(&f), 0); /* they are joined */
}

/* Who is joined by the children's list may be in another one: it is joined once. */
FLOORS_TEST(test_once)
{
	task_id task = floors_child(&f, 0, 10, 20);
	struct list other = { NONE, NONE };

	go_on(30);
	assert_int_equal(scope_take_children(&f.join.scopes, root()), 0);
	list_push(&f.state, &other, task);
	assert_int_equal(scope_take(&f.join.scopes, &other), 0);
	assert_int_equal(floors_edges(&f), 1);
	assert_int_equal(other.head, NONE);
}

/* What a task did not join when it ended is its scope's: a wait for children leaves it out. */
FLOORS_TEST(test_orphans)
{
	task_id parent = floors_create(&f, 0, 0), child;
	struct live *live = floors_begin(&f, parent, 1, 10, NONE);

	state_task(&f.state, KIND_OF_ROOTS, f.state.task_last[parent], live->scope, 0, &child);
	live->n_open++;
	floors_begin(&f, child, 2, 20, NONE);
	floors_end(&f, child, 30);
	floors_end(&f, parent, 40);
	go_on(50);
	assert_int_equal(scope_take_children(&f.join.scopes, root()), 0);
	assert_int_equal(floors_edges(&f), 1);
	go_on(60);
	expect_joined(scope_take_all(&f.join.scopes, 0), child);
}

/* A taskgroup has all tasks below it; once it is over, the one around it is open again. */
FLOORS_TEST(test_group)
{
	uint32_t group = scope_open(&f.join.scopes, root()->scope, ROOT);
	task_id before = floors_child(&f, 0, 5, 10), inside;

	root()->scope = group;
	inside = floors_create(&f, group, 0);
	floors_begin(&f, inside, 1, 10, NONE);
	floors_end(&f, inside, 20);
	go_on(30);
	expect_joined(scope_take_group(&f.join.scopes, root()), inside);
	assert_int_equal(root()->scope, 0);
	go_on(40);
	assert_int_equal(scope_take_group(&f.join.scopes, root()), 0); /* as for children */
	assert_true(floors_edge(&f, f.state.task_last[before]));
}

/*
 * A group that ended where nobody saw it: the task's own children in it are its children as before,
 * and the tasks below those are for who waits around it.
 */
FLOORS_TEST(test_closed)
{
	uint32_t group = scope_open(&f.join.scopes, root()->scope, ROOT);
	task_id inside = floors_create(&f, group, 0), below;

	root()->scope = group;
	floors_begin(&f, inside, 1, 10, NONE);
	state_task(&f.state, KIND_OF_ROOTS, f.state.task_last[inside], group, 0, &below);
	state_live(&f.state, inside)->n_open++;
	floors_begin(&f, below, 2, 12, NONE);
	floors_end(&f, below, 15);
	floors_end(&f, inside, 20);
	scope_close(&f.join.scopes, root());
	assert_int_equal(root()->scope, 0);
	scope_close(&f.join.scopes, root()); /* it has none open */
	assert_int_equal(root()->scope, 0);
	go_on(30);
	expect_joined(scope_take_children(&f.join.scopes, root()), inside);
	go_on(40);
	expect_joined(scope_take_all(&f.join.scopes, 0), below);
}

/* Of one inside another: they are those of the outer one. */
FLOORS_TEST(test_closed_inside)
{
	uint32_t outer = scope_open(&f.join.scopes, root()->scope, ROOT);
	uint32_t inner = scope_open(&f.join.scopes, outer, ROOT);
	task_id inside = floors_create(&f, inner, 0);

	root()->scope = inner;
	floors_begin(&f, inside, 1, 10, NONE);
	floors_end(&f, inside, 20);
	scope_close(&f.join.scopes, root());
	assert_int_equal(root()->scope, outer);
	go_on(30);
	expect_joined(scope_take_group(&f.join.scopes, root()), inside);
}

/* A bag's tasks are nobody else's. */
FLOORS_TEST(test_bag)
{
	uint32_t bag = scope_of_bag(&f.join.scopes, 0xb0);
	task_id task = floors_create(&f, bag, 0);
	struct live *live = floors_begin(&f, task, 1, 10, NONE);

	assert_int_equal(scope_of_bag(&f.join.scopes, 0xb0), bag);
	assert_int_not_equal(scope_of_bag(&f.join.scopes, 0xb8), bag);
	assert_int_equal(live->scope, 0); /* what it creates is in no bag */
	assert_int_equal(scope_bag(&f.join.scopes, 0xb0)->n_running, 1);
	floors_end(&f, task, 20);
	assert_int_equal(scope_bag(&f.join.scopes, 0xb0)->n_running, 0);
	assert_int_equal(root()->n_open, 0);
	go_on(30);
	assert_int_equal(scope_take_children(&f.join.scopes, root()), 0);
	assert_int_equal(floors_edges(&f), 0);
	assert_int_equal(scope_take_all(&f.join.scopes, bag), 0);
	assert_int_equal(floors_edges(&f), 1);
}
