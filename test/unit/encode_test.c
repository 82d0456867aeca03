/* SPDX-License-Identifier: MIT */
/*
 * encode_test.c - random events come out of a block as they went in, and a block that was
 * damaged, packed or unpacked, is refused or gives events; it never does harm (SAN=address).
 */
#include "tools/trace/decode.h"

#include <zstd.h>

#include "test/lib/test.h"

#include "collector/trace/steps.h"
#include "collector/trace/varint.h"
#include "test/unit/blocks.h"

#define MUTATIONS 20000
#define DAMAGED_EVENTS 200u

/* Which guesses the tags of a block use; the tags are the last column. */
static void note_guesses(const struct wire_block *block, const void *body, bool seen[WIRE_KINDS][3])
{
	uint8_t *raw = malloc(block->raw_bytes);

	assert_int_equal(ZSTD_decompress(raw, block->raw_bytes, body, block->body_bytes),
			 block->raw_bytes);
	for (uint32_t i = block->raw_bytes - block->n_events; i < block->raw_bytes; i++)
		seen[raw[i] >> TAG_GUESS_BITS][raw[i] & 3] = true;
	free(raw);
}

/* In 2^-STEPS_BITS units. */
static const uint32_t clock_step[] = { 0, 1, 13 << STEPS_BITS, 49 << (STEPS_BITS - 2), UINT32_MAX };
#define CLOCK_STEPS (sizeof(clock_step) / sizeof(clock_step[0]))

/* Streams of many blocks. */
TEST(test_round_trip)
{
	enum { SLOTS = 1024, STREAMS = 60, BLOCKS = 40 };
	static struct wire_event ring[SLOTS];
	bool seen[WIRE_KINDS][3] = { { false } };
	struct pair pair;

	pair_new(&pair);
	for (uint32_t number = 0; number < STREAMS; number++) {
		struct stream s = { .random = { number },
				    .worker = number == 1 ? WIRE_WORKERS - 1 : number * 7,
				    .n_ids = number == 2 ? UINT64_C(1) << 47 : 0,
				    .ticks = number == 3 ? UINT64_C(1) << 55 : 0 };
		struct model model = { .worker = s.worker, .shift = number % 8, .n_ids = s.n_ids };
		struct encode_source source = { .slot = ring,
						.shift = model.shift,
						.step = clock_step[number % CLOCK_STEPS],
						.n_ids = s.n_ids };

		for (int i = 0; i < BLOCKS; i++) {
			struct wire_block block;
			const void *body;

			source.n = 1 + (uint32_t)random_below(&s.random, i % 4 ? SLOTS : 3);
			for (uint32_t k = 0; k < source.n; k++)
				ring[k] = stream_next(&s);
			check_block(&pair, &source, &model, &block, &body);
			note_guesses(&block, body, seen);
		}
	}
	for (unsigned kind = 0; kind < WIRE_KINDS; kind++)
		for (unsigned guess = 0; guess < 3; guess++)
			assert_true(seen[kind][guess] ==
				    (kind_known(kind) && guess <= kind_guesses(kind)));
	pair_free(&pair);
}

/* One event of each kind by itself, then as many as a block may have. */
TEST(test_sizes)
{
	struct wire_event *event = malloc(ENCODE_EVENTS_MAX * sizeof(*event));
	struct stream s = { .random = { 7 }, .worker = 3 };
	struct model model = { .worker = 3 };
	struct encode_source source = { .slot = event };
	struct wire_block block;
	struct pair pair;
	const void *body;

	pair_new(&pair);
	source.n = 1;
	for (int i = 0; i < 2000; i++) {
		event[0] = stream_next(&s);
		check_block(&pair, &source, &model, &block, &body);
	}
	source.n = ENCODE_EVENTS_MAX;
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < ENCODE_EVENTS_MAX; i++)
			event[i] = stream_next(&s);
		check_block(&pair, &source, &model, &block, &body);
	}
	pair_free(&pair);
	free(event);
}

/* The largest numbers in every place: each column is then as wide as it can be. */
TEST(test_wide)
{
	static struct wire_event event[4096];
	struct random random = { 11 };
	struct model model = { .worker = 1 };
	struct encode_source source = { .slot = event, .n = 4096 };
	struct wire_block block;
	struct pair pair;
	const void *body;

	for (uint32_t i = 0; i < source.n; i++) {
		enum wire_kind kind = stream_any_kind(&random);
		uint64_t b = random_one_in(&random, 2) ? UINT64_MAX - i : i;

		if (kind == WIRE_ROOT || kind == WIRE_END || kind == WIRE_GROUP ||
		    kind == WIRE_NOWAIT || kind == WIRE_MOVED || kind == WIRE_NO_WORKER)
			b = 0;
		if (kind == WIRE_COLLAPSED)
			b = collapsed_make(1 + i % (WIRE_COLLAPSED_FIELDS - 1), i);
		if (kind == WIRE_TALLY)
			b = tally_make(i, 1 + i % (WIRE_TALLY_PARTS - 1), tally_value(b));
		if (kind >= WIRE_COUNTER && kind != WIRE_NO_WORKER && kind != WIRE_PATH)
			b = field_make(1 + i % WIRE_MESSAGE_NEAR, b);
		if (kind == WIRE_NEXT_ID)
			b = STREAM_ID_MAX / 2 + i;
		if (kind == WIRE_CREATE || kind == WIRE_FORK || kind == WIRE_YIELD)
			b &= site_make(UINT32_MAX, ~(WIRE_FLAG_HINT - 1)); /* hints, of all sizes */
		if (kind == WIRE_WAIT)
			b = site_make((uint32_t)b, 1 + i % (WIRE_WAITS - 1));
		if (kind == WIRE_DEPEND)
			b = depend_make(b, 1 + i % (WIRE_DEPENDS - 1));
		if (kind == WIRE_LOST)
			b = lost_make(lost_n(b), i % WIRE_LOSSES);
		event[i].a = (kind_timed(kind) ? UINT64_MAX << 55 : 0) | kind;
		event[i].b = b;
	}
	event[0].a = WIRE_END;
	event[0].b = 0;
	pair_new(&pair);
	for (size_t i = 0; i < CLOCK_STEPS; i++) {
		struct encode_source again = source;
		struct model as_before = model;

		again.step = clock_step[i];
		check_block(&pair, &again, &as_before, &block, &body);
	}
	pair_free(&pair);
}

/* How many bytes a column of the block has. */
static uint64_t column_size(const struct wire_block *block, const void *body, unsigned column)
{
	uint8_t *raw = malloc(block->raw_bytes);
	const uint8_t *at = raw, *end = raw + block->raw_bytes;
	uint64_t n, step, bytes, number = 0, found = 0;

	assert_int_equal(ZSTD_decompress(raw, block->raw_bytes, body, block->body_bytes),
			 block->raw_bytes);
	assert_true(varint_load(&at, end, &n));
	for (uint64_t i = 0; i < n; i++) {
		assert_true(varint_load(&at, end, &step) && varint_load(&at, end, &bytes));
		number = i ? number - step : step;
		if (number == column)
			found = bytes;
	}
	free(raw);
	return found;
}

/*
 * A clock that moves in steps of so many quarters of a unit: soon nothing is said but which step
 * each time is, wherever in a unit they lie, and a worker that comes to another CPU learns it anew.
 */
TEST(test_clock_in_steps)
{
	enum { EVENTS = 4000, MOVES = 4 };
	static struct wire_event event[EVENTS];
	struct random random = { 5 };
	struct pair pair;

	pair_new(&pair);
	for (uint64_t quarters = 45; quarters <= 60; quarters++) {
		struct encode_source source = { .slot = event,
						.n = EVENTS,
						.step = (uint32_t)quarters << (STEPS_BITS - 2) };
		struct model model = { 0 };
		struct wire_block block;
		const void *body;
		uint64_t n = 0;

		for (uint64_t i = 0; i < EVENTS; i++) {
			uint64_t phase = i / (EVENTS / MOVES) * 7 + quarters;

			n += 1 + random_below(&random, 500);
			event[i] = (struct wire_event){ (n * quarters + phase) / 4 << 8 |
								(i % 2 ? WIRE_END : WIRE_ROOT),
							0 };
		}
		check_block(&pair, &source, &model, &block, &body);
		assert_true(column_size(&block, body, COLUMN_OFF) <= 4 * MOVES);
	}
	pair_free(&pair);
}

/* A clock that steps back, within a block and from one to the next, stands still instead. */
TEST(test_clock_steps_back)
{
	struct wire_event event[] = { { 50 << 8 | WIRE_ROOT, 0 }, { 40 << 8 | WIRE_YIELD, 1 },
				      { 45 << 8 | WIRE_END, 0 },  { 30 << 8 | WIRE_ROOT, 0 },
				      { WIRE_GROUP, 0 },	  { 60 << 8 | WIRE_END, 0 } };
	struct encode_source source = { .slot = event };
	struct model model = { 0 };
	struct wire_block block;
	struct pair pair;
	const void *body;

	pair_new(&pair);
	source.n = 3;
	check_block(&pair, &source, &model, &block, &body);
	assert_int_equal(block.last_units, 50);
	source.slot += 3;
	check_block(&pair, &source, &model, &block, &body);
	assert_int_equal(block.first_units, 50);
	assert_int_equal(block.last_units, 60);
	pair_free(&pair);
}

/* An event holds 56 bits of the clock: when they are used up, time goes on. */
TEST(test_clock_wraps)
{
	const uint64_t wrap = UINT64_C(1) << 56;

	for (uint32_t shift = 0; shift < 4; shift++) {
		struct wire_event event[] = { { (wrap - 64) << 8 | WIRE_ROOT, 0 },
					      { 64ull << 8 | WIRE_YIELD, 1 },
					      { 160ull << 8 | WIRE_END, 0 } };
		struct encode_source source = { .slot = event,
						.n = 3,
						.shift = shift,
						.last_units = (5 * wrap - 128) >> shift };
		struct event got[3];
		struct wire_block block = { 0 };
		const char *what;
		struct pair pair;
		const void *body;

		pair_new(&pair);
		assert_int_equal(encode_block(pair.encoder, &source, &block, &body), 0);
		assert_int_equal(decode_block(pair.decoder, &block, body, got, &what), 3);
		assert_int_equal(got[0].units, (5 * wrap - 64) >> shift);
		assert_int_equal(got[1].units, (5 * wrap + 64) >> shift);
		assert_int_equal(got[2].units, (5 * wrap + 160) >> shift);
		assert_int_equal(source.last_units, got[2].units);
		pair_free(&pair);
	}
}

/* A block that is made in steps, out of memory that is used again after each, is the same. */
TEST(test_in_steps)
{
	enum { EVENTS = 5000 };
	static struct wire_event event[EVENTS], room[EVENTS];
	struct random random = { 3 };
	struct pair pair, stepwise;

	pair_new(&pair);
	pair_new(&stepwise);
	for (uint64_t seed = 0; seed < 30; seed++) {
		struct stream s = { .random = { seed }, .worker = 4 };
		struct encode_source whole = { .slot = event, .n = EVENTS };
		struct encode_source steps = { .slot = room };
		struct wire_block block = { .worker = 4 }, other = { .worker = 4 };
		const void *body, *other_body;

		for (uint32_t i = 0; i < EVENTS; i++)
			event[i] = stream_next(&s);
		whole.last_units = steps.last_units = seed;
		whole.n_ids = steps.n_ids = seed * seed;
		whole.step = steps.step = clock_step[seed % CLOCK_STEPS];
		assert_int_equal(encode_block(pair.encoder, &whole, &block, &body), 0);
		encode_begin(stepwise.encoder, &steps, 4);
		for (uint32_t i = 0; i < EVENTS; i += steps.n) {
			steps.n = 1 + (uint32_t)random_below(&random, seed ? EVENTS - i : 1);
			memcpy(room, event + i, steps.n * sizeof(*room));
			encode_add(stepwise.encoder, &steps);
			memset(room, 0xff, sizeof(room));
		}
		assert_int_equal(encode_end(stepwise.encoder, &steps, &other, &other_body), 0);
		assert_memory_equal(&block, &other, sizeof(block));
		assert_memory_equal(body, other_body, block.body_bytes);
		assert_int_equal(whole.last_units, steps.last_units);
		assert_int_equal(whole.n_ids, steps.n_ids);
		assert_int_equal(whole.n_tasks, steps.n_tasks);
	}
	pair_free(&pair);
	pair_free(&stepwise);
}

/* Makes the block that the tests below damage. */
static void make_block(struct pair *pair, uint64_t seed, struct wire_block *block,
		       const void **body)
{
	static struct wire_event event[DAMAGED_EVENTS];
	struct stream s = { .random = { seed }, .worker = 2 };
	struct model model = { .worker = 2 };
	struct encode_source source = { .slot = event,
					.n = DAMAGED_EVENTS,
					.step = clock_step[seed % CLOCK_STEPS] };

	for (uint32_t i = 0; i < DAMAGED_EVENTS; i++)
		event[i] = stream_next(&s);
	check_block(pair, &source, &model, block, body);
}

/* A byte of the packed body changes: the frame's checksum tells, or it changes nothing. */
TEST(test_packed_damage)
{
	struct event want[DAMAGED_EVENTS], got[DAMAGED_EVENTS];
	struct wire_block block;
	struct pair pair;
	const char *what;
	const void *body;
	uint32_t refused = 0;

	pair_new(&pair);
	make_block(&pair, 1, &block, &body);
	assert_int_equal(decode_block(pair.decoder, &block, body, want, &what), DAMAGED_EVENTS);
	uint8_t *packed = malloc(block.body_bytes); /* of that size, for tools to see its end */

	memcpy(packed, body, block.body_bytes);
	for (uint32_t i = 0; i < block.body_bytes; i++)
		for (unsigned change = 1; change < 256; change += 2) {
			packed[i] ^= (uint8_t)change;
			if (decode_block(pair.decoder, &block, packed, got, &what) > 0) {
				check_events(want, got, DAMAGED_EVENTS);
			} else {
				assert_non_null(what);
				refused++;
			}
			packed[i] ^= (uint8_t)change;
		}
	assert_true(refused > block.body_bytes * 127);
	for (block.body_bytes--; block.body_bytes > 0; block.body_bytes--)
		assert_int_equal(decode_block(pair.decoder, &block, packed, got, &what), -EPROTO);
	free(packed);
	pair_free(&pair);
}

/* Unpacks a raw body that nobody wrote.  Whether it was taken. */
static bool decode_raw(struct pair *pair, struct wire_block *block, const uint8_t *raw, size_t n)
{
	struct event *got = malloc(block->n_events * sizeof(*got));
	size_t room = ZSTD_compressBound(n);
	uint8_t *packed = malloc(room);
	const char *what = "never set";
	int n_got;

	block->body_bytes = (uint32_t)ZSTD_compress(packed, room, raw, n, 1);
	block->raw_bytes = (uint32_t)n;
	n_got = decode_block(pair->decoder, block, packed, got, &what);
	if (n_got < 0) {
		assert_int_equal(n_got, -EPROTO);
		assert_non_null(what);
		assert_string_not_equal(what, "never set");
	} else if (n_got > 0) {
		assert_int_equal(got[n_got - 1].units, block->last_units);
	}
	assert_true(n_got <= (int)block->n_events);
	for (int i = 0; i < n_got; i++)
		assert_true(kind_known(got[i].kind));
	for (int i = 1; i < n_got; i++)
		if (got[i].units < got[i - 1].units)
			fail_msg("time runs backwards at event %d of a block that was taken", i);
	free(got);
	free(packed);
	return n_got >= 0;
}

/* Bytes of the unpacked body change, so that nothing but the decoder looks at them. */
TEST(test_raw_damage)
{
	struct random random = { 5 };
	struct wire_block block;
	struct pair pair;
	const void *body;
	uint32_t taken = 0;

	pair_new(&pair);
	for (int i = 0; i < MUTATIONS; i++) {
		if (i % 100 == 0)
			make_block(&pair, (uint64_t)i, &block, &body);
		struct wire_block damaged = block;
		size_t room = block.raw_bytes + 8;
		uint8_t *raw = malloc(room);

		if (i % 100 == 0)
			assert_true(block.raw_bytes > DAMAGED_EVENTS);
		assert_int_equal(ZSTD_decompress(raw, room, body, block.body_bytes),
				 block.raw_bytes);
		size_t n = random_damage(&random, raw, block.raw_bytes, room);

		if (random_one_in(&random, 4)) /* the table of columns is short, and matters most */
			random_damage(&random, raw, 16, 16);
		if (random_one_in(&random, 16))
			damaged.n_events = 1 + (uint32_t)random_below(&random, DAMAGED_EVENTS + 9);
		if (random_one_in(&random, 16))
			damaged.first_units = random_extreme(&random);
		if (random_one_in(&random, 16))
			damaged.first_id = random_extreme(&random);
		taken += decode_raw(&pair, &damaged, raw, n);
		free(raw);
	}
	assert_true(taken > 0 && taken < MUTATIONS / 2);
	pair_free(&pair);
}

/* A table of columns that says more than there is, and numbers without an end. */
TEST(test_hostile_tables)
{
	static const struct {
		uint8_t byte[24];
		uint32_t n;
	} raw[] = {
		{ { 0 }, 1 },					 /* no columns */
		{ { 1, COLUMN_TAGS, 2, TAG(WIRE_ROOT, 0) }, 4 }, /* it ends behind the end */
		{ { 1, COLUMN_REQUIRED, 1, TAG(WIRE_ROOT, 0) }, 4 },
		{ { 2, 1, 0, 0, 1, TAG(WIRE_ROOT, 0) }, 6 }, /* one column twice */
		{ { 2, 1, 0, 2, 1, TAG(WIRE_ROOT, 0) }, 6 }, /* a number below 0 */
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1 }, 10 }, /* 2^64 - 1 */
		{ { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 0, 1, 1 },
		  13 }, /* 2^63 */
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 12 },
		{ { 1, COLUMN_TAGS, 1, TAG(WIRE_ROOT, 0) }, 4 }, /* its time is missing */
		{ { 1, COLUMN_TAGS, 1, TAG(WIRE_NONE, 0) }, 4 },
		{ { 1, COLUMN_TAGS, 1, TAG(WIRE_OPTIONAL - 1, 0) }, 4 },
		{ { 1, COLUMN_TAGS, 1, TAG(WIRE_GROUP, 1) }, 4 }, /* no such guess */
		{ { 1, COLUMN_TAGS, 1, TAG(WIRE_LOST, 0) }, 4 },  /* its operand is missing */
	};
	struct pair pair;

	pair_new(&pair);
	for (size_t i = 0; i < sizeof(raw) / sizeof(raw[0]); i++) {
		struct wire_block block = { .n_events = 1 };

		if (decode_raw(&pair, &block, raw[i].byte, raw[i].n))
			fail_msg("body %zu was taken", i);
	}
	pair_free(&pair);
}

/* A step so long that time comes around to before the step, and then back to where it must end. */
TEST(test_time_wraps)
{
#define TIMES(a, b) (COLUMN_TIMES + (a)*WIRE_UNTIMED + (b))
#define VARINT(n) (uint8_t)((n) | 0x80), (n) >> 7
	static const uint8_t raw[] = {
		4,
		VARINT(TIMES(WIRE_END, WIRE_ROOT)),
		1,
		VARINT(TIMES(WIRE_END, WIRE_ROOT) - TIMES(WIRE_ROOT, WIRE_END)),
		10,
		TIMES(WIRE_ROOT, WIRE_END) - TIMES(0, WIRE_ROOT),
		1,
		TIMES(0, WIRE_ROOT),
		3,
		5,
		0xfb,
		0xff,
		0xff,
		0xff,
		0xff,
		0xff,
		0xff,
		0xff,
		0xff,
		1, /* -5 */
		0,
		TAG(WIRE_ROOT, 0),
		TAG(WIRE_END, 0),
		TAG(WIRE_ROOT, 0),
	};
	struct wire_block block = { .n_events = 3, .first_units = 10, .last_units = 10 };
	struct pair pair;

	pair_new(&pair);
	assert_false(decode_raw(&pair, &block, raw, sizeof(raw)));
	pair_free(&pair);
}

/* FNV-1a of a block of zeros is known, and every field but the check itself counts. */
TEST(test_check)
{
	struct wire_block block = { 0 };
	uint32_t zero = block_check(&block), hash = 2166136261u;

	for (int i = 0; i < 60; i++)
		hash *= 16777619u;
	assert_int_equal(zero, hash);
	for (size_t i = 0; i < sizeof(block); i++) {
		((uint8_t *)&block)[i] ^= 0x40;
		assert_int_equal(block_check(&block) == zero,
				 i >= offsetof(struct wire_block, check));
		((uint8_t *)&block)[i] ^= 0x40;
	}
}
