/* SPDX-License-Identifier: MIT */
/* successor_test.c - who goes on behind a dead collector with a flight recorder, of which a
 * worker's blocks are gone, or all. */
#include "collector/drain/successor.h"

#include "test/lib/test.h"
#include "test/lib/rings.h"

#define SLOTS 4096u
#define BLOCKS 3u
#define LOG_BYTES (FLIGHT_HEAD_BYTES + FLIGHT_SLACK_BYTES)

static char path[64];
static struct rings rings;
static struct drain drain;

static void open_drain(void)
{
	assert_int_equal(drain_open(&drain, rings.session, rings_worker, &rings), 0);
}

/* A full chunk, and one event more, which is behind it. */
static void put_block(void)
{
	for (uint32_t i = 0; i < SLOTS / 4 + 1; i++) {
		uint64_t ticks = clock_pair(&rings.session->clock).ticks;
		struct wire_event event = { event_at(ticks, i % 2 ? WIRE_END : WIRE_BEGIN),
					    i % 2 ? 0 : id_make(7, i + 1) };

		rings_put(rings.worker[0], &event, 1);
	}
	drain_round(&drain, DRAIN_RUNNING);
}

/* However many die in turn, before there is a block behind them: those that were thrown away have
 * not died with them. */
TEST(deaths_in_turn)
{
	void *log = aligned_alloc(64, LOG_BYTES);
	struct flight_log *head = log;
	uint64_t reached;

	memset(log, 0, LOG_BYTES);
	assert_true(rings_open(&rings, 1, SLOTS, path));
	rings.session->options.keep_last = true;
	open_drain();
	flight_use_log(&drain.flight, log, LOG_BYTES, NULL);
	for (uint32_t i = 0; i < BLOCKS; i++)
		put_block();
	assert_int_equal(flight_newest(&drain.flight, 0)->block.seqno + 1, BLOCKS);
	reached = rings.worker[0]->written[(BLOCKS - 1) & 1].number; /* the last may be none */
	drain_close(&drain);
	head->first = head->end; /* later blocks of others took their place */
	for (int i = 0; i < 3; i++) {
		open_drain();
		successor_open(&drain, log, LOG_BYTES);
		assert_true(drain.stream[0].begun);
		assert_int_equal(drain.stream[0].reached.number, reached);
		assert_int_equal(drain.definitions.predecessor.n_died, 0);
		drain_close(&drain);
	}
	rings_close(&rings);
	free(log);
}

/* The word of the program's memory that says where the log lies may be written over: a trace that
 * has its end is whole, as there is no log that a successor could add to it. */
TEST(no_log)
{
	unlink(path);
	assert_true(rings_open(&rings, 1, SLOTS, path));
	rings.session->options.keep_last = true;
	open_drain();
	put_block();
	drain_end(&drain, clock_pair(&rings.session->clock), "cleanly");
	assert_true(drain.file.finished);
	put_block();
	drain_close(&drain);
	rings.session->flight_at = UINT64_MAX;
	open_drain();
	assert_true(successor_is_complete(&drain, NULL));
	assert_false(successor_is_complete(&drain, rings.session));
	drain_close(&drain);
	rings_close(&rings);
	unlink(path);
}

/* Marks that were taken, and are in no trace, are taken again; nothing goes on with another's. */
TEST(trace)
{
	struct trace_file other;

	unlink(path);
	assert_true(rings_open(&rings, 1, SLOTS, path));
	for (uint32_t i = 0; i < 3; i++)
		rings.session->mark[i].place = i + 1;
	rings.session->n_marks = rings.session->marks_taken = 3;
	open_drain();
	assert_int_equal(successor_trace(&drain, NULL), 0);
	assert_int_equal(rings.session->marks_taken, 0);
	assert_int_equal(rings.session->marks_lost, 0);
	assert_int_equal(trace_file_create(&other, path), 0);
	trace_file_close(&other);
	assert_int_equal(successor_trace(&drain, path), -EPROTO);
	drain_close(&drain);
	rings_close(&rings);
	unlink(path);
}

int main(void)
{
	snprintf(path, sizeof(path), "/tmp/tptrace-successor.%d.tpt", (int)getpid());
	return test_all();
}
