/* SPDX-License-Identifier: MIT */
/*
 * flight_test.c - the flight recorder's log: at any moment a copy of it has the newest blocks and
 * their tallies, in order and whole, and says how many events came before; invalid bytes are
 * refused.
 */
#include "collector/drain/flight.h"

#include "test/lib/test.h"
#include "test/unit/random.h"

#define WORKERS 5u
#define BODY_MAX 40000u
#define LOG_BYTES (FLIGHT_HEAD_BYTES + FLIGHT_SLACK_BYTES + 300032u)

static char body[BODY_MAX];
static uint64_t reserve_most; /* bytes of the log that can be had */
static char *memory;

static bool reserve(const void *at, size_t bytes)
{
	return (uint64_t)((const char *)at + bytes - memory) <= reserve_most;
}

/* Block number i of all; which worker's, and what is in it, follows from that. */
struct put {
	uint32_t worker, seqno, bytes, n_events;
	uint64_t n_made, n_before;
};

static void make_body(uint32_t i, uint32_t bytes)
{
	for (uint32_t k = 0; k < bytes; k++)
		body[k] = (char)(i * 31 + k);
}

static void put_one(struct flight *flight, const struct put *put, uint32_t i)
{
	const struct wire_block block = { .worker = put->worker,
					  .seqno = put->seqno,
					  .body_bytes = put->bytes,
					  .raw_bytes = put->bytes,
					  .n_events = put->n_events };
	const struct flight_block kept = { .block = block,
					   .body = body,
					   .before_units = i,
					   .running = i + 1,
					   .n_made = put->n_made };

	make_body(i, put->bytes);
	assert_int_equal(flight_put(flight, &kept), 0);
}

/* A kill now leaves the newest records, up to the last one put. */
static void check_copy(const struct put *all, uint32_t n_put, uint64_t n_least)
{
	char *copy = aligned_alloc(64, LOG_BYTES);
	struct flight seen = { .max_bytes = UINT64_MAX / 2 };
	uint64_t before[WORKERS] = { 0 }, made[WORKERS] = { 0 };

	memcpy(copy, memory, LOG_BYTES);
	assert_true(flight_load(&seen, copy, LOG_BYTES));
	assert_true(seen.n >= n_least && seen.n <= n_put);
	for (uint64_t k = 0; k < seen.n; k++) {
		const struct flight_block *kept = &seen.block[k];
		uint32_t i = n_put - (uint32_t)(seen.n - k);
		const struct put *put = &all[i];

		assert_int_equal(kept->block.worker, put->worker);
		assert_int_equal(kept->block.seqno, put->seqno);
		assert_int_equal(kept->running, i + 1);
		make_body(i, put->bytes);
		assert_memory_equal(kept->body, body, put->bytes);
		assert_int_equal(kept->n_made, put->n_made);
		if (!before[put->worker]++)
			assert_int_equal(seen.count[put->worker].thrown, put->n_before);
		made[put->worker] = put->n_before + put->n_made;
		assert_true(flight_newest(&seen, put->worker)->block.seqno >= put->seqno);
	}
	for (uint32_t w = 0; w < WORKERS; w++)
		if (before[w])
			assert_int_equal(seen.count[w].put, made[w]);
	flight_free(&seen);
	free(copy);
}

/* Who put them there dies, and another goes on: of workers of which nothing is left, it knows how
 * many events they had made. */
static void succeed(struct flight *flight, const uint64_t events[WORKERS])
{
	flight_free(flight);
	flight->max_bytes = 300000;
	assert_true(flight_resume(flight, memory, LOG_BYTES));
	for (uint32_t w = 0; w < WORKERS; w++)
		if (!flight_newest(flight, w))
			assert_int_equal(flight_forget(flight, w, events[w]), 0);
}

/* With a log of its whole size, with one that could not be had whole, and where memory runs out
 * when it has gone round. */
TEST(test_any_moment)
{
	struct random random = { 11 };

	for (int round = 0; round < 12; round++) {
		uint32_t n = 300, most = 1 + random_below(&random, BODY_MAX);
		struct put *all = calloc(n, sizeof(*all));
		uint64_t events[WORKERS] = { 0 };
		uint32_t seqno[WORKERS] = { 0 };
		struct flight flight = { .max_bytes = 300000 };

		memory = aligned_alloc(64, LOG_BYTES);
		memset(memory, 0, LOG_BYTES);
		reserve_most = round % 3 ? LOG_BYTES : 100000 + random_below(&random, 900000);
		flight_use_log(&flight, memory, LOG_BYTES, reserve);
		assert_non_null(flight.log);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t w = random_below(&random, WORKERS);

			all[i] = (struct put){ .worker = w,
					       .seqno = seqno[w]++,
					       .bytes = 1 + random_below(&random, most),
					       .n_events = 1 + random_below(&random, 1000),
					       .n_before = events[w] };
			all[i].n_made = all[i].n_events + random_below(&random, 100000);
			events[w] += all[i].n_made;
			put_one(&flight, &all[i], i);
			check_copy(all, i + 1, 1);
			if (round % 3 == 0 && random_below(&random, 8) == 0)
				succeed(&flight, events);
			if (round % 3 == 1 && flight.log_end > flight.log_room)
				reserve_most = FLIGHT_HEAD_BYTES + flight.log_reserved;
		}
		assert_true(flight.n > 1 && flight.bytes <= 300000);
		check_copy(all, n, flight.n);
		assert_true(flight.log_room >= 90000);
		flight_free(&flight);
		free(memory);
		free(all);
	}
}

/* Whatever is written over a log, a copy of it is refused or read, within its bounds. */
TEST(test_nonsense)
{
	struct random random = { 5 };
	struct flight flight = { .max_bytes = 300000 };
	uint32_t refused = 0;

	memory = aligned_alloc(64, LOG_BYTES);
	memset(memory, 0, LOG_BYTES);
	flight_use_log(&flight, memory, LOG_BYTES, NULL);
	for (uint32_t i = 0; i < 200; i++)
		put_one(&flight,
			&(struct put){ .worker = 1, .seqno = i, .bytes = 3000, .n_events = 10 }, i);
	for (int round = 0; round < 3000; round++) {
		char *copy = aligned_alloc(64, LOG_BYTES);
		struct flight seen = { .max_bytes = UINT64_MAX / 2 };
		uint64_t word = round % 2 ? random_next(&random) : random_below(&random, 4096) * 64;
		size_t at = random_below(&random, round % 4 ? 500000 : 40) & ~7u;

		memcpy(copy, memory, LOG_BYTES);
		memcpy(copy + at, &word, sizeof(word));
		if (!flight_load(&seen, copy, LOG_BYTES)) {
			refused++;
			assert_int_equal(seen.n, 0);
		}
		flight_free(&seen);
		free(copy);
	}
	assert_true(refused > 100);
	flight_free(&flight);
	free(memory);
}

/* Positions so far that a sum of them would wrap are refused: no loop runs for ever, and nothing is
 * put behind them. */
TEST(test_far_positions)
{
	static const uint64_t far[][3] = {
		{ UINT64_MAX - 63, UINT64_MAX - 63, 256 }, /* first, end, room */
		{ (uint64_t)INT64_MAX + 1, (uint64_t)INT64_MAX + 1, 256 },
		{ UINT64_MAX - 127, UINT64_MAX - 63, 256 },
	};

	memory = aligned_alloc(64, LOG_BYTES);
	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		struct flight flight = { .max_bytes = 300000 };
		struct flight_log *log = (struct flight_log *)memory;

		memset(memory, 0, LOG_BYTES);
		flight_use_log(&flight, memory, LOG_BYTES, NULL);
		log->first = far[i][0];
		log->end = far[i][1];
		log->room = far[i][2];
		assert_false(flight_load(&flight, memory, LOG_BYTES));
		flight_free(&flight);
	}
	free(memory);
}
