/* SPDX-License-Identifier: MIT */
/*
 * flush_test.c - when all rings are taken, also those that are not due: after so many blocks of
 * events, however many of definitions there are; and what becomes of them without memory.
 */
#include "collector/drain/pending.h"

static bool opens_later(struct pending_buffer *pending);

#define pending_open opens_later
#include "collector/drain/stream.c" /* NOLINT */
#undef pending_open

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "test/lib/test.h"
#include "test/lib/rings.h"

#define SLOTS 4096u
#define DUE (SLOTS / 4 + 1) /* a full chunk, and one more */
#define LATE 60000u /* a worker whose stream takes MiB more: no rest of malloc()'s has them */
#define ROUNDS 30u  /* more than blocks until all rings are taken */

static char path[64];
static struct rings rings;
static struct drain drain;

/* Events of a worker: its tasks have no creator here, and so are held as they are. */
static void make(uint32_t w, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t ticks = clock_pair(&rings.session->clock).ticks;
		struct wire_event event = { event_at(ticks, i % 2 ? WIRE_END : WIRE_BEGIN),
					    i % 2 ? 0 : id_make(7, i + 1) };

		rings_put(rings.worker[w], &event, 1);
	}
}

/*
 * In each round worker 1 is due, and there is something new to say.  After how many rounds worker
 * 0's events were taken, which are too few to be; 0: never.  *in_time: before they had to be
 * anyway.
 */
static uint32_t rounds(uint64_t collapse_ns, bool *in_time)
{
	uint32_t taken_after = 0;
	uint64_t begin_ns;

	unlink(path);
	assert_true(rings_open(&rings, 2, SLOTS, path));
	rings.session->options.collapse_ns = collapse_ns;
	assert_int_equal(drain_open(&drain, rings.session, rings_worker, &rings), 0);
	drain_round(&drain, DRAIN_RUNNING);
	begin_ns = drain.rounds.flushed_ns;
	make(0, 2);
	for (uint32_t i = 1; i <= ROUNDS && !taken_after; i++) {
		uint64_t n_blocks = drain.file.n_blocks;

		atomic_store(&rings.session->n_sites, i);
		make(1, DUE);
		drain_round(&drain, DRAIN_RUNNING);
		assert_true(drain.file.n_blocks > n_blocks);
		if (!stream_untaken(&drain, rings.worker[0], 0))
			taken_after = i;
	}
	*in_time = clock_pair(&rings.session->clock).ns - begin_ns < DRAIN_FLUSH_NS;
	drain_close(&drain);
	rings_close(&rings);
	unlink(path);
	return taken_after;
}

static uint32_t rounds_in_time(uint64_t collapse_ns)
{
	uint32_t taken_after, n_tries = 100; /* on a machine that is that slow */
	bool in_time;

	do
		taken_after = rounds(collapse_ns, &in_time);
	while (!in_time && --n_tries);
	assert_true(in_time);
	return taken_after;
}

/* Without collapsing each round writes a block. */
TEST(blocks)
{
	assert_in_range(rounds_in_time(0), 2, ROUNDS);
}

TEST(definitions)
{
	assert_int_equal(rounds_in_time(1), 0);
}

/* What the flight recorder has stays when it runs out of memory, and its trace says what is
 * missing.
 */
TEST(no_memory)
{
	struct flight had;

	unlink(path);
	assert_true(rings_open(&rings, 1, SLOTS, path));
	rings.session->options.keep_last = true;
	assert_int_equal(drain_open(&drain, rings.session, rings_worker, &rings), 0);
	make(0, DUE);
	drain_round(&drain, DRAIN_RUNNING);
	had = drain.flight;
	assert_true(had.n > 0);
	drain.flight.n = UINT64_C(1) << 40; /* there is no room for twice as many */
	make(0, DUE);
	drain_round(&drain, DRAIN_RUNNING);
	drain.flight = had;
	make(0, DUE); /* too late: what comes behind a gap has no place */
	drain_round(&drain, DRAIN_LAST);
	assert_int_equal(drain.flight.n, had.n);
	assert_int_equal(stream_untaken(&drain, rings.worker[0], 0), 0);
	assert_int_equal(rings.session->unwritten, ENOMEM);
	drain_end(&drain, clock_pair(&rings.session->clock), "cleanly");
	assert_true(drain.file.finished && drain.file.n_events > 0);
	drain_close(&drain);
	rings_close(&rings);
	unlink(path);
}

static uint32_t n_without; /* slices, until there is memory to hold some */

static bool opens_later(struct pending_buffer *pending)
{
	if (!n_without)
		return pending_open(pending);
	n_without--;
	return false;
}

/* The events before are in the trace, and those behind. */
TEST(memory_later)
{
	unlink(path);
	assert_true(rings_open(&rings, 1, SLOTS, path));
	rings.session->options.collapse_ns = 1;
	assert_int_equal(drain_open(&drain, rings.session, rings_worker, &rings), 0);
	make(0, DUE);
	n_without = 1;
	drain_round(&drain, DRAIN_LAST);
	assert_int_equal(n_without, 0);
	drain_end(&drain, clock_pair(&rings.session->clock), "cleanly");
	assert_int_equal(drain.file.n_events, DUE);
	assert_int_equal(figures_lost(&drain), 0);
	drain_close(&drain);
	rings_close(&rings);
	unlink(path);
}

static struct worker *worker_of(void *arg, uint32_t index)
{
	(void)arg;
	return index == 0 ? rings.worker[0] : index == LATE ? rings.worker[1] : NULL;
}

/* A round that has no memory for LATE's stream. */
static void round_without_memory(void)
{
	struct rlimit before, small;

	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	small = (struct rlimit){ .rlim_cur = 1 << 20, .rlim_max = before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
	drain_round(&drain, DRAIN_RUNNING);
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_int_equal(drain.n_streams, 1);
}

/* What was recorded stays where a worker more finds no memory, its events are counted, and it gets
 * its chunks back. */
static void check_no_stream(bool keep_last)
{
	uint64_t n_events;

	unlink(path);
	assert_true(rings_open(&rings, 2, SLOTS, path));
	rings.session->options.keep_last = keep_last;
	atomic_store(&rings.session->n_workers, 1);
	assert_int_equal(drain_open(&drain, rings.session, worker_of, NULL), 0);
	make(0, DUE);
	drain_round(&drain, DRAIN_RUNNING);
	make(1, DUE);
	atomic_store(&rings.session->n_workers, LATE + 1);
	round_without_memory();
	assert_int_equal(atomic_load(&rings.worker[1]->tail), DUE);
	make(1, DUE);
	drain_round(&drain, DRAIN_LAST); /* there is memory again, too late */
	assert_int_equal(figures_lost(&drain), 2 * DUE);
	drain_end(&drain, clock_pair(&rings.session->clock), "cleanly");
	assert_true(drain.file.finished);
	n_events = drain.file.n_events;
	assert_true(n_events >= DUE - DUE % (SLOTS / 4));
	assert_string_equal(figures_unwritten(&drain), "out of memory");
	drain_close(&drain);
	rings_close(&rings);
	unlink(path);
}

TEST(no_stream)
{
	check_no_stream(true);
	check_no_stream(false);
}

int main(void)
{
	snprintf(path, sizeof(path), "/tmp/tptrace-flush.%d.tpt", (int)getpid());
	return test_all();
}
