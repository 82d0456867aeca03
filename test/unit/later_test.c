/* SPDX-License-Identifier: MIT */
/*
 * later_test.c - traces with what a later version may write: the reader skips what is optional,
 * and refuses what is required with one line that names it.
 */
#include <zstd.h>

#include "test/lib/test.h"
#include "test/unit/trace.h"

#define VARINT(n) (uint8_t)((n) | 0x80), (n) >> 7
#define TIMES(a, b) (COLUMN_TIMES + (a)*WIRE_UNTIMED + (b))
#define LATER (WIRE_OPTIONAL + 15) /* an optional kind of event that there is not */

/* A root and its end, with an event of the kind in `tag` between them. */
#define BODY(tag)                                                                                  \
	4, TIMES(WIRE_ROOT, WIRE_END), 1, TIMES(WIRE_ROOT, WIRE_END) - TIMES(0, WIRE_ROOT), 1,     \
		TIMES(0, WIRE_ROOT) - COLUMN_STEP, 1, COLUMN_STEP, 3, 4, 0, 0, TAG(WIRE_ROOT, 0),  \
		tag, TAG(WIRE_END, 0)

static void put_block(struct making *making, uint32_t seqno, const uint8_t *raw, size_t n,
		      uint32_t n_events, uint64_t first_units)
{
	struct wire_block block = { .type = WIRE_EVENTS,
				    .seqno = seqno,
				    .raw_bytes = (uint32_t)n,
				    .first_units = first_units,
				    .last_units = 14,
				    .n_events = n_events };
	uint8_t packed[300];

	block.body_bytes = (uint32_t)ZSTD_compress(packed, sizeof(packed), raw, n, 1);
	assert_int_equal(trace_file_put(&making->file, &block, packed), 0);
}

static void put_other(struct making *making, uint16_t type, uint16_t flags)
{
	struct wire_block block = { .type = type, .flags = flags, .body_bytes = 3 };

	assert_int_equal(trace_file_put(&making->file, &block, "red"), 0);
}

/* Ends the trace.  It as text, behind the first line, or why it is refused; yours to free. */
static char *read_back(struct making *making)
{
	struct bytes trace = making_end(making), text = { 0 };
	struct reader *reader = NULL;
	struct err err;
	int error = trace_open(&reader, trace.at, trace.n, &err);
	char *said;

	if (!error)
		error = trace_dump(&text, reader, &err);
	assert_true(!error || trace_told(error, &err));
	said = strdup(error ? err.text : strchr(text.at, '\n') + 1);
	reader_close(reader);
	bytes_free(&trace);
	bytes_free(&text);
	return said;
}

TEST(test_optional)
{
	static const uint8_t body[] = { 7,
					VARINT(ENCODE_COLUMNS + 9),
					1, /* columns, the highest first */
					VARINT(ENCODE_COLUMNS + 9 - TIMES(WIRE_ROOT, WIRE_END)),
					1,
					TIMES(WIRE_ROOT, WIRE_END) - TIMES(0, WIRE_ROOT),
					1,
					TIMES(0, WIRE_ROOT) - LATER,
					2,
					LATER - COLUMN_OPTIONAL,
					1,
					COLUMN_OPTIONAL - COLUMN_STEP,
					1,
					COLUMN_STEP,
					4,
					0xff,
					4,
					0,
					0xff,
					0xff,
					0xff, /* and what is in them */
					0,    /* the clock's granularity: not known */
					TAG(WIRE_ROOT, 0),
					TAG(LATER, 0),
					TAG(LATER, 3),
					TAG(WIRE_END, 0) };
	static const uint8_t nothing[] = { 2, COLUMN_STEP, 1, COLUMN_STEP, 1, 0, TAG(LATER, 0) };
	struct making making;
	char *text;

	making_begin(&making);
	making_defs(&making, "colour 5 red\nclock ns red\nsite 0 colour=red name=a\nmark 5 red\n");
	put_block(&making, 0, body, sizeof(body), 4, 10);
	put_other(&making, 99, WIRE_BLOCK_OPTIONAL);
	put_block(&making, 1, nothing, sizeof(nothing), 1, 14);
	text = read_back(&making);
	assert_string_equal(text, "clock ns\nsite 0 runtime=0 ret=0x0 fn=0x0 name=a line=0\n"
				  "10 w0 root 0.1\n14 w0 end\n");
	free(text);
}

static void check_refused(struct making *making, const char *wanted)
{
	char *said = read_back(making);

	if (!strstr(said, wanted))
		fail_msg("`%s` does not say `%s`", said, wanted);
	free(said);
}

TEST(test_required_events)
{
	static const struct {
		uint8_t byte[24];
		uint32_t n;
		const char *said;
	} body[] = {
		{ { BODY(TAG(WIRE_OPTIONAL - 1, 0)) },
		  15,
		  ": unknown kind of event 47; use a newer" },
		{ { BODY(TAG(WIRE_GROUP, 3)) }, 15, ": unknown guess of an event 3; use a newer" },
		{ { 2, 9, 0, 9, 1, TAG(WIRE_GROUP, 0) }, 6, ": unknown column 9; use a newer" },
		{ { 4, TIMES(0, WIRE_YIELD), 1, TIMES(0, WIRE_YIELD) - COLUMN_STEP, 1,
		    COLUMN_STEP - 1, 3, 1, 1, 0, 0, 7, 0x80, 4, TAG(WIRE_YIELD, 0) },
		  15,
		  ": unknown flags of a site 512; use a newer" },
		{ { 4, TIMES(0, WIRE_WAIT), 1, TIMES(0, WIRE_WAIT) - COLUMN_STEP, 1,
		    COLUMN_STEP - 1, 2, 1, 1, 0, 0, 7, 99, TAG(WIRE_WAIT, 0) },
		  14,
		  ": unknown wait 99; use a newer" },
	};

	for (size_t i = 0; i < sizeof(body) / sizeof(body[0]); i++) {
		struct making making;

		making_begin(&making);
		put_block(&making, 0, body[i].byte, body[i].n, i < 2 ? 3 : 1, 14);
		check_refused(&making, body[i].said);
	}
}

TEST(test_required_others)
{
	struct making making;

	making_begin(&making);
	put_other(&making, 99, 0);
	check_refused(&making, "at byte 32: unknown type of block 99; use a newer tptrace");
	making_begin(&making);
	making_defs(&making, "clock ns\n!colour red\n");
	check_refused(&making, "at byte 32: unknown !colour; use a newer tptrace");
}
