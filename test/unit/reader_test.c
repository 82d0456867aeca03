/* SPDX-License-Identifier: MIT */
/*
 * reader_test.c - what the reader makes of a small trace that was cut off, damaged, forged or
 * put together from others: it says what is wrong, or it reads on; never harm, never a hang.
 */
#include "tools/trace/reader.h"

#include <sys/resource.h>

#include "test/lib/test.h"
#include <zstd.h>

#include "test/unit/trace.h"

#define WORKERS 3u
#define BLOCKS_EACH 3u
#define BLOCK_EVENTS 12u
#define BLOCKS_MAX 32u
#define FLIPS 5000
#define DEFS "clock ns\nmeta host test\nruntime 0 name=x workers=3\nsite 1 name=a%20b\n"

/* A small trace: definitions, three blocks of each worker, definitions, index, footer. */
static struct bytes small_trace(uint64_t seed)
{
	struct stream s[WORKERS] = { 0 };
	struct model model[WORKERS] = { 0 };
	struct making making;

	making_begin(&making);
	making_defs(&making, DEFS);
	for (uint32_t i = 0; i < BLOCKS_EACH * WORKERS; i++) {
		uint32_t w = i % WORKERS;

		if (i < WORKERS)
			s[w] = (struct stream){ .random = { seed + w }, .worker = w };
		model[w].worker = w;
		making_put(&making, &s[w], &model[w], i / WORKERS, BLOCK_EVENTS);
	}
	making_defs(&making, "whole 1000000000000\nmeta ended cleanly\n");
	return making_end(&making);
}

/* Reads all there is.  How many events, or -errno. */
static int64_t read_all(const struct reader *reader, struct err *err)
{
	int64_t n = 0;
	int got = 0;

	for (uint32_t w = 0; w < reader_facts(reader)->n_workers && got >= 0; w++) {
		struct cursor cursor;
		const struct event *event;

		cursor_open(&cursor, reader, w);
		while ((got = cursor_next(&cursor, &event, err)) > 0) {
			assert_true(kind_known(event->kind));
			n++;
		}
		cursor_close(&cursor);
	}
	return got < 0 ? got : n;
}

/*
 * Any bytes either open and read, or give an error of one line.
 * Returns the number of events, or -errno.
 */
static int64_t survive(const struct bytes *trace, struct reader_facts *facts, struct err *err)
{
	struct reader *reader;
	struct bytes text = { 0 };
	int64_t n;
	int error = trace_open(&reader, trace->at, trace->n, err);

	if (error) {
		assert_null(reader);
		assert_true(trace_told(error, err));
		return error;
	}
	n = read_all(reader, err);
	assert_true(n >= 0 || trace_told((int)n, err));
	error = trace_dump(&text, reader, err);
	assert_true((error < 0) == (n < 0));
	assert_true(!error || trace_told(error, err));
	*facts = *reader_facts(reader);
	assert_null(strchr(facts->missing, '\n'));
	facts->path = NULL;
	reader_close(reader);
	bytes_free(&text);
	return n;
}

/* The error that opening or reading these bytes gives has this in it. */
static void check_refused(const struct bytes *trace, const char *why)
{
	struct reader_facts facts;
	struct err err;

	assert_true(survive(trace, &facts, &err) < 0);
	if (!strstr(err.text, why))
		fail_msg("`%s` does not say `%s`", err.text, why);
}

/* Where a block's header is; at any address. */
static char *block_in(const struct bytes *trace, uint32_t number)
{
	size_t at[BLOCKS_MAX];
	uint32_t n = trace_blocks(trace, at, BLOCKS_MAX);

	assert_true(number < n);
	return trace->at + at[number];
}

/* Makes the check of a header right again. */
static void seal(char *header)
{
	struct wire_block block;

	memcpy(&block, header, sizeof(block));
	block.check = block_check(&block);
	memcpy(header, &block, sizeof(block));
}

TEST(test_whole)
{
	struct bytes trace = small_trace(1);
	struct reader_facts facts;
	struct reader *reader;
	struct err err;

	assert_int_equal(survive(&trace, &facts, &err), WORKERS * BLOCKS_EACH * BLOCK_EVENTS);
	assert_true(facts.ended && !facts.torn);
	assert_int_equal(facts.n_workers, WORKERS);
	assert_int_equal(facts.n_blocks, WORKERS * BLOCKS_EACH + 3);
	assert_int_equal(facts.n_events, WORKERS * BLOCKS_EACH * BLOCK_EVENTS);
	assert_int_equal(facts.file_bytes, trace.n);
	assert_true(facts.whole_ns == 1000000000000);
	assert_string_equal(facts.missing, "");
	assert_int_equal(trace_open(&reader, trace.at, trace.n, &err), 0);
	assert_string_equal(defs_meta(reader_defs(reader), "host"), "test");
	assert_string_equal(reader_defs(reader)->site[1].name, "a b");
	reader_close(reader);
	bytes_free(&trace);
}

/* The events that the cursors give are those that went in, block by block. */
TEST(test_events)
{
	struct bytes trace = small_trace(1);
	struct reader *reader;
	struct err err;

	assert_int_equal(trace_open(&reader, trace.at, trace.n, &err), 0);
	for (uint32_t w = 0; w < WORKERS; w++) {
		struct stream s = { .random = { 1 + w }, .worker = w };
		struct model model = { .worker = w };
		struct cursor cursor;
		const struct event *got = NULL;

		cursor_open(&cursor, reader, w);
		for (uint32_t i = 0; i < BLOCKS_EACH; i++) {
			struct wire_event in[BLOCK_EVENTS];
			struct event want[BLOCK_EVENTS];

			for (uint32_t k = 0; k < BLOCK_EVENTS; k++)
				in[k] = stream_next(&s);
			model_block(&model, in, BLOCK_EVENTS, want);
			for (uint32_t k = 0; k < BLOCK_EVENTS; k++) {
				assert_int_equal(cursor_next(&cursor, &got, &err), 1);
				assert_true(event_equals(got, &want[k]));
				assert_int_equal(cursor.position + cursor.at,
						 i * BLOCK_EVENTS + k + 1);
			}
		}
		assert_int_equal(cursor_next(&cursor, &got, &err), 0);
		assert_int_equal(cursor_next(&cursor, &got, &err), 0);
		cursor_close(&cursor);
	}
	reader_close(reader);
	bytes_free(&trace);
}

/* Cut off at every byte: the reader uses all whole blocks and reports the rest. */
TEST(test_truncation)
{
	struct bytes trace = small_trace(2);
	size_t n = trace.n, at[BLOCKS_MAX];
	uint32_t n_blocks = trace_blocks(&trace, at, BLOCKS_MAX);
	struct reader_facts facts;
	struct err err;

	assert_int_equal(n_blocks, WORKERS * BLOCKS_EACH + 3);
	at[n_blocks] = n - sizeof(struct wire_footer);
	for (trace.n = 0; trace.n < n; trace.n++) {
		int64_t got = survive(&trace, &facts, &err);
		uint32_t whole = 0;

		if (trace.n < sizeof(struct wire_header)) {
			assert_true(got < 0);
			continue;
		}
		while (whole < n_blocks && at[whole + 1] <= trace.n)
			whole++;
		bool has_whole = whole >= WORKERS * BLOCKS_EACH + 2;
		uint32_t n_put = has_whole ? WORKERS * BLOCKS_EACH : whole - (whole > 0);

		assert_int_equal(got, n_put * BLOCK_EVENTS);
		assert_int_equal(facts.n_blocks, whole);
		assert_int_equal(facts.torn, trace.n != at[whole]);
		if (facts.torn)
			assert_non_null(strstr(facts.missing, got ? "; only the events before it"
								  : "; no events are before it"));
		assert_false(facts.ended);
		assert_true(facts.missing[0] != 0);
		assert_true(facts.sure_ns == (has_whole ? 1000000000000 : 0));
		assert_true(has_whole ? facts.whole_ns == facts.sure_ns
				      : !got || facts.whole_ns >= facts.first_ns);
	}
	bytes_free(&trace);
}

TEST(test_bit_flips)
{
	struct bytes trace = small_trace(3);
	struct random random = { 3 };
	struct reader_facts facts;
	struct err err;
	uint32_t n_refused = 0, n_torn = 0;

	for (int i = 0; i < FLIPS; i++) {
		size_t at = (size_t)random_below(&random, trace.n);
		uint8_t bit = (uint8_t)(1u << random_below(&random, 8));
		size_t start[BLOCKS_MAX];
		uint32_t n = trace_blocks(&trace, start, BLOCKS_MAX), in = 0;

		while (in < n && start[in] + sizeof(struct wire_block) <= at)
			in++;
		trace.at[at] ^= (char)bit;
		if (in < n && at >= start[in] && random_one_in(&random, 2)) {
			struct wire_block before;

			memcpy(&before, trace.at + start[in], sizeof(before));
			seal(trace.at + start[in]);
			n_refused += survive(&trace, &facts, &err) < 0;
			memcpy(trace.at + start[in], &before, sizeof(before));
		} else if (survive(&trace, &facts, &err) < 0) {
			n_refused++;
		} else {
			n_torn += facts.torn;
		}
		trace.at[at] ^= (char)bit;
	}
	assert_true(n_refused > FLIPS / 4 && n_torn > FLIPS / 10);
	bytes_free(&trace);
}

#define FIELD(name) { offsetof(struct wire_block, name), sizeof(((struct wire_block *)0)->name) }

/* A field of a block's header says something extreme, and the check agrees. */
TEST(test_forged_headers)
{
	static const struct {
		size_t at, bytes;
	} field[] = {
		FIELD(magic), FIELD(type), FIELD(flags), FIELD(body_bytes), FIELD(raw_bytes),
		FIELD(worker), FIELD(seqno), FIELD(first_units), FIELD(last_units),
		FIELD(first_id), FIELD(offset), FIELD(n_events),
	};
	struct bytes trace = small_trace(4);
	struct random random = { 4 };
	struct reader_facts facts;
	struct err err;

	for (uint32_t number = 0; number < WORKERS * BLOCKS_EACH + 3; number++)
		for (size_t f = 0; f < sizeof(field) / sizeof(field[0]); f++)
			for (int i = 0; i < 24; i++) {
				char *header = block_in(&trace, number);
				uint64_t value = random_extreme(&random), old = 0;
				struct wire_block before;

				memcpy(&before, header, sizeof(before));
				memcpy(&old, header + field[f].at, field[f].bytes);
				if (i < 2)
					value = old + (i ? 1 : -1ull);
				memcpy(header + field[f].at, &value, field[f].bytes);
				seal(header);
				survive(&trace, &facts, &err);
				memcpy(header, &before, sizeof(before));
			}
	assert_int_equal(survive(&trace, &facts, &err), WORKERS * BLOCKS_EACH * BLOCK_EVENTS);
	bytes_free(&trace);
}

/* The file's own header. */
TEST(test_header)
{
	struct bytes trace = small_trace(5), none = { (char[]){ "" }, 0 };
	struct wire_header *header = (struct wire_header *)trace.at;
	struct reader_facts facts;
	struct err err;

	check_refused(&none, "empty");
	header->version = WIRE_VERSION + 1;
	check_refused(&trace, "format version 4, written by tptrace 0.3; ");
	header->version = 2;
	memcpy(header->writer, "0.2", sizeof("0.2"));
	check_refused(&trace, "reads version 3: record the program again, or use tptrace 0.2");
	header->version = 1;
	check_refused(&trace, "format version 1, written by tptrace 0.1; ");
	header->version = WIRE_VERSION;
	for (uint64_t bytes = 0; bytes < sizeof(*header); bytes++) {
		header->header_bytes = (uint32_t)bytes;
		check_refused(&trace, "at byte 12: ");
	}
	header->header_bytes = UINT32_MAX;
	check_refused(&trace, "at byte 12: ");
	header->header_bytes = (uint32_t)trace.n;
	assert_int_equal(survive(&trace, &facts, &err), 0);
	header->header_bytes = sizeof(*header);
	header->magic[0] = 'T';
	check_refused(&trace, "is not a tptrace trace");
	bytes_free(&trace);
}

/* Puts a block of an unknown type in front of all others, which moves them. */
static struct bytes with_unknown(const struct bytes *trace, uint16_t flags)
{
	enum { BODY = 5 };
	struct bytes out = { malloc(trace->n + sizeof(struct wire_block) + BODY),
			     trace->n + sizeof(struct wire_block) + BODY };
	size_t first = sizeof(struct wire_header), at[BLOCKS_MAX];
	struct wire_block block = { .magic = WIRE_BLOCK_MAGIC,
				    .type = 77,
				    .flags = flags,
				    .body_bytes = BODY,
				    .offset = first };

	memcpy(out.at, trace->at, first);
	memcpy(out.at + first, &block, sizeof(block));
	memcpy(out.at + first + sizeof(block), "what?", BODY);
	memcpy(out.at + first + sizeof(block) + BODY, trace->at + first, trace->n - first);
	seal(out.at + first);
	for (uint32_t i = 1, n = trace_blocks(&out, at, BLOCKS_MAX); i < n; i++) {
		memcpy(out.at + at[i] + offsetof(struct wire_block, offset), &at[i], sizeof(at[i]));
		seal(out.at + at[i]);
	}
	return out;
}

TEST(test_unknown_blocks)
{
	struct bytes trace = small_trace(6);
	struct bytes optional = with_unknown(&trace, WIRE_BLOCK_OPTIONAL);
	struct bytes required = with_unknown(&trace, 0);
	struct reader_facts facts;
	struct err err;

	assert_int_equal(survive(&optional, &facts, &err), WORKERS * BLOCKS_EACH * BLOCK_EVENTS);
	assert_true(facts.ended);
	assert_int_equal(facts.n_blocks, WORKERS * BLOCKS_EACH + 4);
	check_refused(&required, "at byte 32: unknown type of block 77; use a newer tptrace");
	bytes_free(&trace);
	bytes_free(&optional);
	bytes_free(&required);
}

/* Appends a block of another file, with its place made right. */
static void append_block(struct bytes *to, const struct bytes *from, uint32_t number)
{
	struct wire_block block;

	memcpy(&block, block_in(from, number), sizeof(block));
	const char *body = from->at + block.offset + sizeof(block);

	block.offset = to->n;
	block.check = block_check(&block);
	to->at = realloc(to->at, to->n + sizeof(block) + block.body_bytes);
	assert_non_null(to->at);
	memcpy(to->at + to->n, &block, sizeof(block));
	memcpy(to->at + to->n + sizeof(block), body, block.body_bytes);
	to->n += sizeof(block) + block.body_bytes;
}

/* Blocks 1.. are w0 0, w1 0, w2 0, w0 1, w1 1, ..: left out, doubled, swapped, of two files. */
TEST(test_mixed_files)
{
	static const struct {
		int8_t number[6]; /* 10 and above: of the other file; ended by -1 */
		const char *why;  /* NULL: it is fine */
	} mix[] = {
		{ { 0, 1, 2, 4, 5, -1 }, NULL },
		{ { 0, 2, 3, -1 }, NULL },
		{ { 0, 1, 7, -1 }, "missing block before this one" },
		{ { 0, 4, -1 }, "missing block before this one" },
		{ { 0, 1, 1, -1 }, "missing block before this one" },
		{ { 0, 4, 1, -1 }, "missing block before this one" },
		{ { 0, 1, 11, -1 }, "missing block before this one" },
		{ { 0, 11, 4, -1 }, "time runs backwards between two blocks" },
	};
	struct bytes one = small_trace(7), other = small_trace(70);
	struct reader_facts facts;
	struct err err;
	struct wire_block late;

	memcpy(&late, block_in(&other, 1), sizeof(late));
	late.first_units += UINT64_C(1) << 50;
	late.last_units += UINT64_C(1) << 50;
	memcpy(block_in(&other, 1), &late, sizeof(late));
	for (size_t i = 0; i < sizeof(mix) / sizeof(mix[0]); i++) {
		struct bytes trace = { malloc(sizeof(struct wire_header)),
				       sizeof(struct wire_header) };

		memcpy(trace.at, one.at, trace.n);
		for (const int8_t *number = mix[i].number; *number >= 0; number++)
			append_block(&trace, *number < 10 ? &one : &other, (uint32_t)*number % 10);
		if (mix[i].why)
			check_refused(&trace, mix[i].why);
		else
			assert_true(survive(&trace, &facts, &err) > 0);
		bytes_free(&trace);
	}
	bytes_free(&one);
	bytes_free(&other);
}

/* Invalid definitions in a file: the error names the block. */
TEST(test_bad_definitions)
{
	static const char *const text[] = { "!nonsense\n", "site\n",	    "site x\n",
					    "sync 1\n",	   "clock\n",	    "whole -1\n",
					    "meta\n",	   "site 1 name\n", "runtime 256\n" };

	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		struct making making;
		struct bytes trace;

		making_begin(&making);
		making_defs(&making, text[i]);
		trace = making_end(&making);
		check_refused(&trace, "at byte 32: ");
		bytes_free(&trace);
	}
}

/* A byte 0 among the definitions: it must not hide those behind it. */
TEST(test_nul_in_definitions)
{
	static const char text[] = "meta a b\n\0meta c d\n";
	struct reader *reader;
	struct making making;
	struct bytes trace;
	struct err err;

	making_begin(&making);
	assert_int_equal(trace_file_put_defs(&making.file, text, sizeof(text) - 1), 0);
	trace = making_end(&making);
	if (trace_open(&reader, trace.at, trace.n, &err) == 0) {
		assert_non_null(defs_meta(reader_defs(reader), "c"));
		reader_close(reader);
	}
	bytes_free(&trace);
}

static void clock_trace(struct bytes *trace, const char *defs)
{
	struct stream s = { .random = { 1 } };
	struct model model = { 0 };
	struct making making;

	making_begin(&making);
	making_defs(&making, defs);
	making_put(&making, &s, &model, 0, 10);
	*trace = making_end(&making);
}

/* The first and the last pair convert units to ns; an invalid clock is an error. */
TEST(test_clocks)
{
	static const char *const bad[] = { "clock tsc\n",
					   "clock tsc\nsync 5 5\n",
					   "clock tsc\nsync 5 5\nsync 5 6\n",
					   "clock tsc\nsync 5 5\nsync 6 5\n",
					   "clock tsc\nsync 9 5\nsync 6 7\n",
					   "clock tsc\nsync 0 0\nsync 1 18446744073709551615\n" };
	struct reader *reader;
	struct bytes trace;
	struct err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		clock_trace(&trace, bad[i]);
		check_refused(&trace, "clock");
		bytes_free(&trace);
	}
	clock_trace(&trace, "clock tsc\nsync 1000 7\nsync 1001 8\nsync 3000 1007\n");
	assert_int_equal(trace_open(&reader, trace.at, trace.n, &err), 0);
	assert_int_equal(reader_ns(reader, 999), 0);
	assert_int_equal(reader_ns(reader, 1000), 0);
	assert_int_equal(reader_ns(reader, 3000), 1000);
	assert_int_equal(reader_ns(reader, 1000 + (UINT64_C(1) << 40)), UINT64_C(1) << 39);
	assert_int_equal(reader_duration_ns(reader, 10), 5);
	reader_close(reader);
	bytes_free(&trace);
}

/* Files that are none. */
TEST(test_no_files)
{
	static const struct {
		const char *path;
		int error;
	} none[] = { { "/nonexistent/x.tpt", -ENOENT },
		     { "/", -EISDIR },
		     { "/dev/null", -EINVAL } };
	struct reader *reader;
	struct err err;

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		assert_int_equal(text_open(&reader, none[i].path, &err), none[i].error);
		assert_int_equal(err.code, none[i].error);
		assert_int_equal(strncmp(err.text, none[i].path, strlen(none[i].path)), 0);
		assert_null(reader);
	}
	reader_close(NULL);
}

/* A reader that opens many files leaves no descriptor and no map behind. */
TEST(test_nothing_left_open)
{
	struct bytes trace = small_trace(8);
	struct rlimit few = { 64, 64 }, before;
	struct reader_facts facts;
	struct err err;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (int i = 0; i < 200; i++) {
		trace.at[8] = (char)(i % 2 ? WIRE_VERSION : 9);
		assert_true((survive(&trace, &facts, &err) >= 0) == i % 2);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	bytes_free(&trace);
}
