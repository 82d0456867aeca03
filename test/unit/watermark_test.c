/* SPDX-License-Identifier: MIT */
/*
 * watermark_test.c - up to when a trace that goes on says that it is whole: what a worker has made
 * is in the file then, whatever its chunks are.
 */
#include "collector/drain/drain.h"

#include <unistd.h>

#include "test/lib/test.h"

#include "tools/trace/reader.h"
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

/* Worker 0 makes n events. */
static void make_some(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		struct wire_event event = event_now(i % 2 ? WIRE_END : WIRE_ROOT);

		rings_put(rings.worker[0], &event, 1);
	}
}

/* Events in one chunk, thinned to some in another, before the first is given up. */
static void thin_in_part(uint64_t n)
{
	struct worker *worker = rings.worker[0];
	struct chunk *from = rings_chunk(worker), *to = NULL;
	uint32_t into = 0;

	make_some(n);
	for (uint32_t i = 0; i < worker->sizes.n; i++)
		if (chunk_state_of(chunk_word(chunk_at(worker, i))) == CHUNK_FREE) {
			to = chunk_at(worker, i);
			into = i;
		}
	memcpy(chunk_slots(worker, &worker->sizes, into),
	       chunk_slots(worker, &worker->sizes, worker->chunk),
	       n / 2 * sizeof(struct wire_event));
	chunk_replace(to, from, atomic_load(&worker->head), (uint32_t)n / 2);
}

/* Worker 1 makes some, in its ring. */
static void make_other(void)
{
	struct wire_event event[SOME];

	for (uint32_t i = 0; i < SOME; i++)
		event[i] = event_now(i % 2 ? WIRE_END : WIRE_ROOT);
	rings_put(rings.worker[1], event, SOME);
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

/* A worker amid its thinning holds nothing back, and what it has is taken once. */
TEST(amid_thinning)
{
	uint64_t before, whole, n;

	open_rings();
	thin_in_part(SOME);
	before = ticks_now();
	whole = whole_after_round();
	assert_in_range(whole, before, ticks_now());
	n = n_in_file(0);
	assert_true(n == SOME || n == SOME / 2);
	rings_next(rings.worker[0]);
	make_some(SOME);
	whole_after_round();
	assert_int_equal(n_in_file(0), n + SOME);
	close_rings();
}

/* What came during a look is certain after the next one, though that finds nothing more; and then
 * all has been said. */
TEST(told_later)
{
	uint64_t first, whole;

	open_rings();
	make_other();
	first = whole_after_round();
	whole = whole_after_round();
	assert_true(whole > first);
	assert_int_equal(whole_after_round(), whole);
	close_rings();
}

/* All chunks are full. */
TEST(all_chunks)
{
	uint64_t before, whole;

	open_rings();
	make_some(SLOTS);
	before = ticks_now();
	whole = whole_after_round();
	assert_in_range(whole, before, ticks_now());
	assert_int_equal(n_in_file(0), SLOTS);
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
TEST(costs_again)
{
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
	snprintf(path, sizeof(path), "/tmp/tptrace-watermark.%d.tpt", (int)getpid());
	return test_all();
}
