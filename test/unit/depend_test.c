/* SPDX-License-Identifier: MIT */
/* depend_test.c - which tasks a task waits for because of data. */
#include "test/unit/floors.h"

#define HERE 0x100u
#define THERE 0x108u

static task_id clause(task_id task, enum wire_depend type, uint64_t address)
{
	f.state.task_flags[task] |= BUILD_DEPENDS;
	assert_int_equal(depend_clause(&f.depend, state_live(&f.state, ROOT), task, false,
				       depend_make(address, type)),
			 0);
	return task;
}

/* A new child with one clause. */
static task_id child(enum wire_depend type, uint64_t address)
{
	return clause(floors_create(&f, 0, 0), type, address);
}

static uint32_t n_preds(task_id task)
{
	uint32_t n = 0;

	for (uint32_t l = depend_preds(&f.depend, task); l != NONE; l = f.depend.link[l].next)
		n++;
	return n;
}

static bool after(task_id task, task_id pred)
{
	for (uint32_t l = depend_preds(&f.depend, task); l != NONE; l = f.depend.link[l].next)
		if (f.depend.link[l].task == pred)
			return true;
	return false;
}

FLOORS_TEST(test_readers_and_writers)
{
	task_id write = child(WIRE_DEPEND_OUT, HERE), read = child(WIRE_DEPEND_IN, HERE);
	task_id read_too = child(WIRE_DEPEND_IN, HERE), last = child(WIRE_DEPEND_OUT, HERE);
	task_id other = child(WIRE_DEPEND_OUT, THERE);

	assert_int_equal(n_preds(write), 0);
	assert_true(n_preds(read) == 1 && after(read, write));
	assert_true(n_preds(read_too) == 1 && after(read_too, write));
	assert_true(after(last, read) && after(last, read_too));
	assert_int_equal(n_preds(other), 0);
	assert_true(n_preds(child(WIRE_DEPEND_IN, HERE)) == 1);
}

/* The tasks of a set come after what was before it, and not after one another. */
FLOORS_TEST(test_set)
{
	task_id write = child(WIRE_DEPEND_OUT, HERE);
	task_id one = child(WIRE_DEPEND_SET, HERE), two = child(WIRE_DEPEND_SET, HERE);
	task_id last = child(WIRE_DEPEND_IN, HERE);

	assert_true(n_preds(one) == 1 && after(one, write));
	assert_true(n_preds(two) == 1 && after(two, write));
	assert_true(n_preds(last) == 2 && after(last, one) && after(last, two));
}

FLOORS_TEST(test_all_memory)
{
	task_id here = child(WIRE_DEPEND_IN, HERE), there = child(WIRE_DEPEND_OUT, THERE);
	task_id all = child(WIRE_DEPEND_ALL, 0), later = child(WIRE_DEPEND_IN, HERE);

	assert_true(after(all, here) && after(all, there));
	assert_true(n_preds(later) == 1 && after(later, all));
	assert_true(after(child(WIRE_DEPEND_IN, 0x200), all)); /* an address that is new */
}

static void run(task_id task, uint64_t ns)
{
	floors_begin(&f, task, 1, ns, NONE);
	floors_end(&f, task, ns + 5);
}

/* What is complete gives an edge; what is not contradicts the trace, unless events are missing. */
FLOORS_TEST(test_edges)
{
	task_id one = child(WIRE_DEPEND_IN, HERE), two = child(WIRE_DEPEND_IN, HERE);
	task_id last = child(WIRE_DEPEND_OUT, HERE);

	run(one, 10);
	assert_false(depend_satisfied(&f.depend, depend_preds(&f.depend, last)));
	floors_begin(&f, last, 2, 20, NONE);
	assert_int_equal(depend_edges(&f.depend, depend_preds(&f.depend, last), false), -EPROTO);
	f.state.lossy_ns = 0;
	assert_int_equal(depend_edges(&f.depend, depend_preds(&f.depend, last), false), 0);
	f.state.lossy_ns = UINT64_MAX;
	run(two, 30);
	assert_true(depend_satisfied(&f.depend, depend_preds(&f.depend, last)));
	floors_strand(&f, last, 2, 40);
	assert_int_equal(depend_edges(&f.depend, depend_preds(&f.depend, last), true), 0);
	assert_int_equal(floors_edges(&f), 2);
	assert_true(floors_edge(&f, f.state.task_last[one]));
	assert_true(f.state.task_flags[two] & BUILD_JOINED);
}

/* A task without code stands for what it depends on, and is complete when that is. */
FLOORS_TEST(test_empty)
{
	task_id write = child(WIRE_DEPEND_OUT, HERE), empty = child(WIRE_DEPEND_IN, HERE);
	task_id last;
	bool done;
	uint64_t ns;

	f.state.task_flags[empty] |= BUILD_EMPTY;
	last = child(WIRE_DEPEND_OUT, HERE);
	assert_int_equal(depend_done(&f.depend, empty, &done, &ns), 0);
	assert_false(done);
	run(write, 10);
	assert_int_equal(depend_done(&f.depend, empty, &done, &ns), 0);
	assert_true(done);
	assert_int_equal(ns, 15);
	floors_begin(&f, last, 2, 20, NONE);
	assert_int_equal(depend_edges_from(&f.depend, empty), 0);
	assert_int_equal(floors_edges(&f), 1);
	assert_true(floors_edge(&f, f.state.task_last[write]));
}

FLOORS_TEST(test_names)
{
	task_id other = floors_create(&f, 0, 0), waits;
	const struct awaited *awaited;

	ids_name(&f.state.ids, 0x10, other);
	waits = clause(child(WIRE_DEPEND_ON, 0x10), WIRE_DEPEND_ON, 0x20);
	awaited = depend_awaited(&f.depend, waits);
	assert_int_equal(awaited->name, 0x20);
	assert_int_equal(awaited->then, TASK_NONE);
	awaited = depend_awaited_next(&f.depend, awaited);
	assert_int_equal(awaited->name, 0x10);
	assert_int_equal(awaited->then, other);
	assert_null(depend_awaited_next(&f.depend, awaited));
	assert_null(depend_awaited(&f.depend, other));
	assert_false(depend_awaited_done(&f.depend, waits));
	run(other, 10);
	assert_true(depend_awaited_done(&f.depend, waits));
}
