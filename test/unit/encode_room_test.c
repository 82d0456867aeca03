/* SPDX-License-Identifier: MIT */
/*
 * encode_room_test.c - an encoder's columns grow in time: nothing is written behind their memory,
 * and each knows how much it has.  The encoder is built into the test; behind each column's memory
 * lies a page that nobody may touch.
 */
#include <sys/mman.h>

#include "tools/trace/decode.h"

#include <stdlib.h>

static void *column_realloc(void *memory, size_t bytes);
static void column_free(void *memory);

#define realloc column_realloc
#define free column_free
#include "collector/trace/encode.c" /* NOLINT */
#undef realloc
#undef free

#include <string.h>

#include "test/lib/test.h"
#include "test/unit/stream.h"

#define PAGE 65536u /* the largest that there is */
#define STEPS 3000
#define STEP_MOST 40u

/* ---- memory that ends before a page that is not there ---- */

static struct memory {
	char *memory; /* NULL: free */
	size_t bytes;
} given[ENCODE_COLUMNS];

static struct memory *given_as(const void *memory)
{
	for (uint32_t i = 0; i < ENCODE_COLUMNS; i++)
		if (given[i].memory == memory)
			return &given[i];
	return NULL;
}

static size_t pages(size_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

static void column_free(void *memory)
{
	struct memory *was = memory ? given_as(memory) : NULL;

	if (!was) { /* not a column's */
		free(memory);
		return;
	}
	munmap(was->memory + was->bytes - pages(was->bytes), pages(was->bytes) + PAGE);
	*was = (struct memory){ 0 };
}

static void *column_realloc(void *memory, size_t bytes)
{
	char *map = mmap(NULL, pages(bytes) + PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *new = map + pages(bytes) - bytes;
	const struct memory *was = memory ? given_as(memory) : NULL;

	assert_ptr_not_equal(map, MAP_FAILED);
	mprotect(map + pages(bytes), PAGE, PROT_NONE);
	if (was)
		memcpy(new, was->memory, was->bytes < bytes ? was->bytes : bytes);
	column_free(memory);
	*given_as(NULL) = (struct memory){ new, bytes };
	return new;
}

/* ---- what must hold ---- */

/* Each varint is begun before `full` and ends within the memory; tags end before `full`. */
static void check_columns(const struct encoder *encoder)
{
	for (uint32_t i = 0; i < ENCODE_COLUMNS; i++) {
		const struct column *column = &encoder->column[i];
		const struct memory *memory = given_as(column->byte);
		const uint8_t *most =
			i == COLUMN_TAGS ? column->full : column->full + VARINT_MAX - 1;

		if (!column->byte)
			continue;
		assert_non_null(memory);
		assert_ptr_equal(column->full + VARINT_MAX, column->byte + memory->bytes);
		if (column->at > most)
			fail_msg("column %u: %zu bytes of %zu", i,
				 (size_t)(column->at - column->byte), memory->bytes);
	}
}

TEST(test_widest)
{
	uint8_t byte[32];

	assert_int_equal(varint_store(byte, UINT64_MAX) - byte, VARINT_MAX);
}

/* Steps of all sizes, and often one event more than the tags have room for. */
TEST(test_steps)
{
	static struct wire_event event[ENCODE_EVENTS_MAX];
	struct stream stream = { .random = { 23 }, .worker = 5 };
	struct encoder *encoder = encoder_new();
	struct encode_source source = { .slot = event };
	const struct column *tags = &encoder->column[COLUMN_TAGS];
	uint32_t n_grew = 0;

	encode_begin(encoder, &source, stream.worker);
	for (uint32_t step = 0; step < STEPS; step++) {
		size_t left = (size_t)(tags->full - tags->at);
		const uint8_t *before = tags->byte;

		source.n = 1 + (uint32_t)random_below(&stream.random, STEP_MOST);
		if (left > 0 && left < STEP_MOST)
			source.n = (uint32_t)left + step % 3;
		for (uint32_t i = 0; i < source.n; i++)
			event[i] = stream_next(&stream);
		encode_add(encoder, &source);
		check_columns(encoder);
		n_grew += tags->byte != before;
	}
	assert_true(n_grew > 5);
	encoder_free(encoder);
}

/* Numbers of ten bytes, at each place of a column. */
TEST(test_varints)
{
	struct encoder *encoder = encoder_new();
	struct column *column = &encoder->column[COLUMN_VALUES];

	for (uint32_t n_short = 0; n_short < 3 * VARINT_MAX; n_short++) {
		column->at = column->byte;
		for (uint32_t i = 0; i < n_short; i++)
			put_varint(encoder, column, 1);
		for (uint32_t i = 0; i < 300; i++) {
			put_varint(encoder, column, UINT64_MAX);
			check_columns(encoder);
		}
		assert_int_equal(column_bytes(column), n_short + 300 * VARINT_MAX);
		column_free(column->byte);
		*column = (struct column){ 0 };
	}
	encoder_free(encoder);
}
