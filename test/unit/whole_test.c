/* SPDX-License-Identifier: MIT */
/*
 * whole_test.c - up to when a trace that goes on says that it is whole: not later than what a
 * worker has that was handing over just then, and that nobody waited for.
 */
#include "collector/drain/drain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/trace/reader.h"
#include "collector/session/handed.h"
#include "test/lib/rings.h"

#define WORKERS 3u
#define SLOTS 1024u
#define SOME 64u

static char path[64];
static struct rings rings;
static struct drain drain;

static void open_rings(void)
{
	unlink(path);
	assert_true(rings_open(&rings, WORKERS, SLOTS, path));
	rings.worker[0]->thins = 1;
	assert_int_equal(drain_open(&drain, rings.session, rings_worker, &rings), 0);
}

static void close_rings(void)
{
	drain_close(&drain);
	rings_close(&rings);
	unlink(path);
}

static struct wire_event event_now(enum wire_kind kind)
{
	return (struct wire_event){ event_at(clock_pair(&rings.session->clock).ticks, kind), 1 };
}

/* Worker 0 makes n events, and has not handed them over. */
static void make_fresh(uint64_t n)
{
	struct worker *worker = rings.worker[0];
	struct wire_event *fresh = worker_fresh(worker, SLOTS);
	uint64_t head = atomic_load(&worker->head);

	for (uint64_t end = head + n; head != end; head++)
		fresh[head & (FRESH_SLOTS - 1)] = event_now(head % 2 ? WIRE_END : WIRE_ROOT);
	atomic_store(&worker->head, head);
}

/* Worker 1 makes some, in its ring. */
static void make_other(void)
{
	struct wire_event event[SOME];

	for (uint32_t i = 0; i < SOME; i++)
		event[i] = event_now(i % 2 ? WIRE_END : WIRE_ROOT);
	rings_put(rings.worker[1], event, SOME);
}

static void claim(enum handed_claim by)
{
	struct worker *worker = rings.worker[0];

	atomic_store(&worker->handed, handed_claimed(worker_handed(worker), by));
}

static uint64_t ticks_now(void)
{
	return clock_pair(&rings.session->clock).ticks;
}

/* Up to when the file says that it is whole, after a round that takes all rings. */
static uint64_t whole_after_round(void)
{
	struct reader *reader;
	struct err err;
	uint64_t units;

	drain.rounds.flushed_ns = 0;
	drain_round(&drain, DRAIN_RUNNING);
	assert_int_equal(reader_open(&reader, path, &err), 0);
	units = reader_defs(reader)->whole_units;
	reader_close(reader);
	return units;
}

static uint64_t n_in_file(uint32_t w)
{
	struct reader *reader;
	struct cursor cursor;
	const struct event *event;
	struct err err;
	uint64_t n = 0;

	assert_int_equal(reader_open(&reader, path, &err), 0);
	cursor_open(&cursor, reader, w);
	while (cursor_next(&cursor, &event, &err) > 0)
		n++;
	cursor_close(&cursor);
	reader_close(reader);
	return n;
}

/* A worker at it holds back what the trace says, whatever the others have; and no further than to
 * what was said before. */
static void not_waited_for(void **state)
{
	uint64_t first, second, before;

	(void)state;
	open_rings();
	make_fresh(SOME);
	make_other();
	claim(HANDED_BY_WORKER);
	assert_int_equal(whole_after_round(), 0);

	claim(HANDED_FREE);
	make_other();
	before = ticks_now();
	first = whole_after_round();
	assert_in_range(first, before, ticks_now());
	assert_int_equal(n_in_file(0), SOME);

	make_fresh(SOME);
	claim(HANDED_BY_WORKER);
	make_other();
	assert_int_equal(whole_after_round(), first);
	assert_int_equal(n_in_file(0), SOME);

	claim(HANDED_FREE);
	make_other();
	before = ticks_now();
	second = whole_after_round();
	assert_in_range(second, before, ticks_now());
	assert_int_equal(n_in_file(0), 2 * SOME);
	close_rings();
}

/* A worker that has nothing to hand over holds nothing back. */
static void nothing_left(void **state)
{
	uint64_t before, whole;

	(void)state;
	open_rings();
	make_fresh(SOME);
	whole_after_round();
	claim(HANDED_BY_WORKER);
	make_other();
	before = ticks_now();
	whole = whole_after_round();
	assert_in_range(whole, before, ticks_now());
	close_rings();
}

/* What came during a look is certain after the next one, though that finds nothing more; and then
 * all has been said. */
static void told_later(void **state)
{
	uint64_t first, whole;

	(void)state;
	open_rings();
	make_other();
	first = whole_after_round();
	whole = whole_after_round();
	assert_true(whole > first);
	assert_int_equal(whole_after_round(), whole);
	close_rings();
}

/* More than the ring has room for is taken in several goes. */
static void more_than_a_ring(void **state)
{
	uint64_t before, whole;

	(void)state;
	open_rings();
	make_fresh(FRESH_SLOTS);
	before = ticks_now();
	whole = whole_after_round();
	assert_in_range(whole, before, ticks_now());
	assert_int_equal(n_in_file(0), FRESH_SLOTS);
	close_rings();
}

static void check_costs(const char *event_ps, const char *strand_ps)
{
	struct reader *reader;
	struct err err;

	make_other();
	whole_after_round();
	assert_int_equal(reader_open(&reader, path, &err), 0);
	assert_string_equal(defs_meta(reader_defs(reader), "event_cost_ps"), event_ps);
	assert_string_equal(defs_meta(reader_defs(reader), "strand_cost_ps"), strand_ps);
	reader_close(reader);
}

/* What events cost is said again when it is less, and not else: calls are reckoned beside it. */
static void costs_again(void **state)
{
	(void)state;
	open_rings();
	rings.session->event_ps = 9000;
	rings.session->strand_ps = 6000;
	check_costs("9000", "6000");
	rings.session->event_ps = 4001;
	rings.session->strand_ps = 2667;
	check_costs("4001", "2667");
	close_rings();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_waited_for), cmocka_unit_test(nothing_left),
		cmocka_unit_test(told_later),	  cmocka_unit_test(more_than_a_ring),
		cmocka_unit_test(costs_again),
	};

	snprintf(path, sizeof(path), "/tmp/tptrace-whole.%d.tpt", (int)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
