/* SPDX-License-Identifier: MIT */
/* gap_test.c - what a gap cuts off, and what was made where nobody saw it. */
#include "test/unit/floors.h"

/* An event of worker 0 at that time. */
static void at(uint64_t ns, enum wire_kind kind, uint64_t b)
{
	f.event = (struct event){ .kind = (uint8_t)kind, .b = b };
	f.state.worker = 0;
	f.state.ns = ns;
	if (kind_timed(kind))
		f.state.lane[0].last_ns = ns;
}

static void lose(uint64_t n, enum wire_loss why)
{
	at(f.state.ns, WIRE_LOST, lost_make(n, why));
	assert_int_equal(gap_event(&f.gaps), 0);
}

FLOORS_TEST(test_cut)
{
	f.state.lane[0].last_ns = 10;
	lose(5, WIRE_LOSS_RING);
	assert_int_equal(f.dag.n_gaps, 1);
	assert_int_equal(f.dag.n_lost, 5);
	assert_int_equal(f.state.lossy_ns, 10);
	assert_int_equal(f.state.lane[0].open, STRAND_NONE);
	assert_int_equal(dag_length(&f.dag, ROOT), 10);
	assert_int_equal(state_live(&f.state, ROOT)->ended_by, WIRE_LOST);
	assert_true(gap_before(&f.gaps));
	assert_true(gap_hides(&f.gaps, ROOT));
	assert_false(gap_was_asked_for(&f.gaps));
}

/* What follows says when; a strand that it cuts runs up to there, but not beyond what comes next.
 */
FLOORS_TEST(test_since_and_until)
{
	f.state.lane[0].last_ns = 10;
	lose(5, WIRE_LOSS_STOPPED);
	assert_int_equal(f.dag.n_lost, 0); /* it was not to be recorded */
	assert_true(gap_was_asked_for(&f.gaps));
	at(10, WIRE_SINCE, 30);
	assert_int_equal(gap_event(&f.gaps), 0);
	assert_int_equal(dag_length(&f.dag, ROOT), 30);
	assert_int_equal(f.state.last_ns, 30);
	at(10, WIRE_UNTIL, 20);
	assert_int_equal(gap_event(&f.gaps), -EPROTO); /* it is before the gap */
	at(10, WIRE_UNTIL, 50);
	assert_int_equal(gap_event(&f.gaps), 0);
	at(25, WIRE_RESUME, 0);
	gap_over(&f.gaps);
	assert_int_equal(dag_length(&f.dag, ROOT), 25);
	assert_int_equal(f.dag.gap[0].since_ns, 25);
	assert_int_equal(f.dag.gap[0].until_ns, 25);
}

FLOORS_TEST(test_nothing_lost)
{
	at(10, WIRE_SINCE, 30);
	assert_int_equal(gap_event(&f.gaps), -EPROTO);
	at(10, WIRE_LOST, lost_make(1, WIRE_LOSSES));
	assert_int_equal(gap_event(&f.gaps), -EPROTO);
}

/* A task that nobody saw made is of the unknown site; the first id of all is the main task's. */
FLOORS_TEST(test_task)
{
	task_id task;

	at(10, WIRE_BEGIN, 0);
	assert_int_equal(gap_task(&f.gaps, id_make(1, 7), &task), 0);
	assert_int_equal(ids_of(&f.state.ids, id_make(1, 7)), task);
	assert_int_equal(f.dag.kind_site[f.dag.task_kind[task]], SITE_UNKNOWN);
	assert_int_equal(f.dag.n_found, 1);
	at(10, WIRE_RESUME, 0);
	assert_int_equal(gap_task(&f.gaps, id_make(0, 1), &task), 0);
	assert_int_equal(f.dag.task_kind[task], KIND_OF_ROOTS);
	assert_int_equal(f.dag.n_found, 1);
	assert_int_equal(gap_task(&f.gaps, 0, &task), 0);
	assert_int_equal(f.dag.n_found, 2);
}

/* Where all threads were recorded, no event comes from nowhere. */
FLOORS_TEST(test_all_recorded)
{
	at(10, WIRE_END, 0);
	assert_int_equal(gap_unrecorded(&f.gaps), -EPROTO);
	assert_int_equal(gap_unseen(&f.gaps), -EPROTO);
}

FLOORS_TEST(test_unrecorded)
{
	floors_close(&f);
	floors_open(&f, "meta unrecorded_threads 1\n");
	at(10, WIRE_BEGIN, 0);
	assert_int_equal(gap_unrecorded(&f.gaps), 0);
	assert_int_equal(dag_length(&f.dag, ROOT), 0);
	assert_int_equal(f.state.lane[0].open, STRAND_NONE);
	f.state.lane[0].task = ROOT;
	f.state.lane[0].detailed = ROOT;
	at(20, WIRE_END, 0);
	assert_int_equal(gap_unseen(&f.gaps), 0);
	assert_int_equal(f.state.lane[0].task, TASK_NONE);
	assert_int_equal(f.state.lane[0].detailed, TASK_NONE);
}

/* At the end gaps are of the window, by worker and in order. */
FLOORS_TEST(test_finish)
{
	struct gap gap[] = { { .worker = 1, .since_ns = 130, .until_ns = UINT64_MAX },
			     { .worker = 0, .since_ns = 150, .until_ns = 140 },
			     { .worker = 1, .since_ns = 90, .until_ns = 95 } };
	struct dag dag = { .gap = gap, .n_gaps = 3, .begin_ns = 100, .elapsed_ns = 70 };

	gap_finish(&dag);
	assert_true(gap[0].worker == 0 && gap[0].since_ns == 50 && gap[0].until_ns == 50);
	assert_true(gap[1].worker == 1 && gap[1].since_ns == 0 && gap[1].until_ns == 0);
	assert_true(gap[2].worker == 1 && gap[2].since_ns == 30 && gap[2].until_ns == 70);
}
