/* SPDX-License-Identifier: MIT */
/*
 * text_test.c - a trace as text and back is the same trace; and the lines of definitions, with
 * strange names, strange numbers and numbers that would like to have much memory.
 */
#include "tools/base/load.h"
#include "tools/base/event_text.h"

#include "test/unit/goldens.h"

#define FIRST "tptrace text 2\n"

static void load(struct reader **reader, const struct bytes *text)
{
	struct err err;

	if (trace_open(reader, text->at, text->n, &err) < 0)
		fail_msg("%s", err.text);
}

static struct bytes dump(const struct reader *reader)
{
	struct bytes text = { 0 };
	struct err err;

	assert_int_equal(trace_dump(&text, reader, &err), 0);
	return text;
}

/* Loads the text, and dumps it. */
static struct bytes again(const struct bytes *text)
{
	struct reader *reader;
	struct bytes out;

	load(&reader, text);
	out = dump(reader);
	reader_close(reader);
	return out;
}

static void check_same(const struct bytes *x, const struct bytes *y, const char *what)
{
	size_t i = 0;

	while (i < x->n && i < y->n && x->at[i] == y->at[i])
		i++;
	if (i < x->n || i < y->n)
		fail_msg("%s: differs from byte %zu on: `%.60s` and `%.60s`", what, i, x->at + i,
			 y->at + i);
}

/* The events of two traces are the same, worker by worker. */
static void check_events(const struct reader *x, const struct reader *y)
{
	struct err err;

	assert_int_equal(reader_facts(x)->n_workers, reader_facts(y)->n_workers);
	assert_int_equal(reader_facts(x)->n_events, reader_facts(y)->n_events);
	for (uint32_t w = 0; w < reader_facts(x)->n_workers; w++) {
		const struct event *a = NULL, *b = NULL;
		struct cursor of_x, of_y;

		cursor_open(&of_x, x, w);
		cursor_open(&of_y, y, w);
		while (cursor_next(&of_x, &a, &err) > 0) {
			assert_int_equal(cursor_next(&of_y, &b, &err), 1);
			assert_true(a->kind == b->kind && a->b == b->b && a->made == b->made);
			assert_true(!kind_timed(a->kind) || a->units == b->units);
		}
		assert_int_equal(cursor_next(&of_y, &b, &err), 0);
		cursor_close(&of_x);
		cursor_close(&of_y);
	}
}

static void check_golden(const char *at, size_t n)
{
	const struct bytes text = { (char *)at, n };
	struct bytes once = again(&text), twice = again(&once);
	struct reader *before, *after;

	check_same(&once, &twice, name);
	load(&before, &text);
	load(&after, &once);
	check_events(before, after);
	reader_close(before);
	reader_close(after);
	bytes_free(&once);
	bytes_free(&twice);
}

TEST(test_goldens)
{
	goldens_each(GOLDENS, check_golden);
}

/* Binary to text to binary, with more events of a worker than go into one batch of the loader. */
TEST(test_random_streams)
{
	enum { STREAMS = 40, WORKERS = 4 };

	for (uint64_t seed = 0; seed < STREAMS; seed++) {
		struct stream s[WORKERS] = { 0 };
		struct model model[WORKERS] = { 0 };
		uint32_t seqno[WORKERS] = { 0 };
		struct random random = { seed };
		struct reader *before, *after;
		struct making making;
		struct bytes trace, once, twice;
		struct err err;

		making_begin(&making);
		for (uint32_t i = 0; i < 12; i++) {
			uint32_t w = (uint32_t)random_below(&random, WORKERS);
			uint32_t n = 1 + (uint32_t)random_below(&random, seed ? 300 : 30000);

			if (seqno[w] == 0)
				s[w] = (struct stream){ .random = { seed * 9 + w }, .worker = w };
			model[w].worker = w;
			making_put(&making, &s[w], &model[w], seqno[w]++, n);
		}
		making_defs(&making, "clock ns\nsite 2 name=two\n");
		trace = making_end(&making);
		assert_int_equal(trace_open(&before, trace.at, trace.n, &err), 0);
		once = dump(before);
		twice = again(&once);
		check_same(&once, &twice, "random");
		load(&after, &once);
		check_events(before, after);
		reader_close(before);
		reader_close(after);
		bytes_free(&trace);
		bytes_free(&once);
		bytes_free(&twice);
	}
}

/* Each event in each of its forms, as FORMAT.md has them. */
TEST(test_every_line)
{
	static const char lines[] = FIRST
		"clock tsc\nsync 5 1000\nsync 105 2000\nmeta host a%20b\n"
		"mark 7 stop\nmark 8 start\nmark 9 phase a%20b\nmark 9 begin r\nmark 9 end r\n"
		"runtime 0 name=libgomp version=GOMP_5.1 workers=2 calls-ps=1234\n"
		"module 0 start=0x1000 end=0x2000 bias=0x10 build-id=00ff path=/lib/a%23b\n"
		"site 0 runtime=0 ret=0x0 fn=0x0 line=0\n"
		"site 1 runtime=0 ret=0x1234 fn=0x5678 name=f%20g file=x.c line=12\n"
		"site 2 runtime=0 ret=0x1234 fn=0x5678 ret-module=0 fn-module=8191 line=0\n"
		"10 w0 root 0.1\n- w0 group\n- w0 handle 0x7f00\n- w0 cancel 4\n"
		"12 w0 create 0.2 site=1 undeferred final untied detached empty\n"
		"- w0 depend in 0x10\n- w0 depend out 0x11\n- w0 depend mutex 0x12\n"
		"- w0 depend set 0x13\n- w0 depend all 0x0\n- w0 tracer 77\n"
		"13 w0 resume 0.1\n14 w1 begin 0.2\n"
		"15 w0 fork 0.3 site=0 team loop nowait undeferred final\n"
		"16 w1 member 1.1 of 0.3\n17 w0 wait children site=4294967295\n- w0 nowait\n"
		"18 w0 wait group site=0\n18 w0 wait team site=0\n18 w0 wait depend site=0\n"
		"18 w0 wait object site=0\n- w0 object 0xffffffffffffffff\n"
		"19 w0 yield site=3\n20 w0 signal 0x7f00\n21 w1 end\n- w1 lost 9\n"
		"- w1 since 21\n- w1 until 22\n- w1 lost 1 stopped\n- w1 lost 2 size\n"
		"- w1 lost 72057594037927935 old\n"
		"- w1 next-id 281474976645119\n22 w1 root 1.281474976645120\n";
	struct bytes text = { (char *)lines, sizeof(lines) - 1 };
	struct bytes out = again(&text);

	check_same(&text, &out, "every line");
	bytes_free(&out);
}

/* Any bytes but NUL are a name, and come through the text unchanged. */
TEST(test_names)
{
	static const char *const some[] = { "a b",   "%",	  "100%25", "#1",   "a\nb\tc\r",
					    "größe", "operator,", "=",	    "%zz%", "\x01\x7f\xff",
					    "%00",   "x=y#z %41" };
	struct random random = { 1 };

	for (uint32_t i = 0; i < 300; i++) {
		char name[40] = "", escaped[3 * sizeof(name)], line[900];
		struct reader *first, *second;
		struct bytes text = { line, 0 }, out;

		if (i < sizeof(some) / sizeof(some[0]))
			strcpy(name, some[i]);
		else
			for (uint64_t k = random_below(&random, sizeof(name) - 1); k > 0; k--)
				name[k - 1] = (char)(1 + random_below(&random, 255));
		lines_escape(escaped, name);
		text.n = (size_t)snprintf(
			line, sizeof(line),
			FIRST "meta k %s\nruntime 0 name=%s version=%s\n"
			      "module 0 path=%s\nsite 0 name=%s file=%s\n0 w0 root 0.1\n",
			escaped, escaped, escaped, escaped, escaped, escaped);
		load(&first, &text);
		out = dump(first);
		load(&second, &out);
		for (int k = 0; k < 2; k++) {
			const struct defs *defs = reader_defs(k ? second : first);

			assert_string_equal(defs_meta(defs, "k"), name);
			assert_string_equal(defs->runtime[0].name, name);
			assert_string_equal(defs->runtime[0].version, name);
			assert_string_equal(defs->module[0].path, name);
			assert_string_equal(defs->site[0].name, name);
			assert_string_equal(defs->site[0].file, name);
		}
		reader_close(first);
		reader_close(second);
		bytes_free(&out);
	}
}

/* The words before a value, too: the key of a meta line, and the name of the clock. */
TEST(test_escaped_keys)
{
	static const char lines[] = FIRST "clock a%20b\nsync 1 1\nsync 2 2\nmeta a%20b 1\n"
					  "meta a%20b 2\n0 w0 root 0.1\n";
	struct bytes text = { (char *)lines, sizeof(lines) - 1 }, out;
	struct reader *reader;

	load(&reader, &text);
	assert_int_equal(reader_defs(reader)->n_metas, 1);
	assert_string_equal(defs_meta(reader_defs(reader), "a b"), "2");
	reader_close(reader);
	out = again(&text);
	load(&reader, &out);
	assert_string_equal(defs_meta(reader_defs(reader), "a b"), "2");
	assert_string_equal(reader_defs(reader)->clock, "a b");
	reader_close(reader);
	bytes_free(&out);
}

TEST(test_escape)
{
	static const char *const pair[][2] = {
		{ "", "" },	    { "a b", "a%20b" }, { "\n\t\x7f", "%0a%09%7f" },
		{ "50%", "50%25" }, { "#", "%23" },	{ "größe", "größe" },
		{ "%20", "%2520" },
	};
	static const char *const loose[][2] = {
		{ "%", "%" },	  { "%4", "%4" },
		{ "%zz", "%zz" }, { "%4g", "%4g" },
		{ "%41", "A" },	  { "%4A%4a", "JJ" },
		{ "%00", "%00" }, { "%%41", "%A" },
		{ "%41%", "A%" }, { "%\x14\x11", "%\x14\x11" },
	};

	for (size_t i = 0; i < sizeof(pair) / sizeof(pair[0]); i++) {
		char room[64];

		assert_string_equal(lines_escape(room, pair[i][0]), pair[i][1]);
		defs_unescape(room);
		assert_string_equal(room, pair[i][0]);
	}
	for (size_t i = 0; i < sizeof(loose) / sizeof(loose[0]); i++) {
		char room[64];

		strcpy(room, loose[i][0]);
		defs_unescape(room);
		assert_string_equal(room, loose[i][1]);
	}
}

TEST(test_numbers)
{
	static const struct {
		const char *word;
		int64_t value; /* -1: refused */
	} number[] = {
		{ "0", 0 },
		{ "00", 0 },
		{ "007", 7 },
		{ "010", 10 },
		{ "09", 9 },
		{ "0x10", 16 },
		{ "0Xff", 255 },
		{ "0xFF", 255 },
		{ "", -1 },
		{ "-1", -1 },
		{ "+1", -1 },
		{ " 1", -1 },
		{ "1 ", -1 },
		{ "0x", -1 },
		{ "0x-1", -1 },
		{ "0x 1", -1 },
		{ "0x+1", -1 },
		{ "0xg", -1 },
		{ "1x", -1 },
		{ "1.5", -1 },
		{ "x1", -1 },
		{ "ff", -1 },
		{ "0b1", -1 },
		{ "1e3", -1 },
		{ "0x0x1", -1 },
		{ "1,000", -1 },
		{ "9223372036854775807", INT64_MAX },
		{ "18446744073709551616", -1 },
		{ "0x10000000000000000", -1 },
		{ "99999999999999999999999999", -1 },
	};
	uint64_t value;

	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
		int error = defs_number(number[i].word, &value);

		if (error != (number[i].value < 0 ? -EPROTO : 0))
			fail_msg("`%s` gives %d", number[i].word, error);
		assert_true(error || value == (uint64_t)number[i].value);
	}
	assert_int_equal(defs_number("18446744073709551615", &value), 0);
	assert_true(value == UINT64_MAX);
	assert_int_equal(defs_number("0xffffffffffffffff", &value), 0);
	assert_true(value == UINT64_MAX);
}

TEST(test_words)
{
	char line[] = " \ta  b\r\t c#d e", comment[] = "#x", blank[] = " \r", joined[] = "x#";
	char *at = line;

	assert_string_equal(defs_word(&at), "a");
	assert_string_equal(defs_word(&at), "b");
	assert_string_equal(defs_word(&at), "c");
	assert_null(defs_word(&at));
	assert_null(defs_word(&at));
	at = comment;
	assert_null(defs_word(&at));
	at = blank;
	assert_null(defs_word(&at));
	at = joined;
	assert_string_equal(defs_word(&at), "x");
	assert_null(defs_word(&at));
}

static int say(struct defs *defs, const char *text, const char **what)
{
	char line[300];

	snprintf(line, sizeof(line), "%s", text);
	return defs_line(defs, line, what);
}

/* Memory of this process, by the kernel's count. */
static size_t mapped_bytes(void)
{
	unsigned long pages = 0;
	FILE *in = fopen("/proc/self/statm", "re");

	if (!in || fscanf(in, "%lu", &pages) != 1)
		pages = 0;
	if (in)
		fclose(in);
	return pages * 4096;
}

TEST(test_hostile_lines)
{
	static const char *const bad[] = {
		"site 4294967295",
		"site 4294967296",
		"site 18446744073709551615",
		"site 16777216",
		"site 16777215",
		"module 99999999",
		"module 1048575",
		"runtime 256",
		"runtime 4294967295",
		"site",
		"site -1",
		"site x name=a",
		"site 1 name",
		"site 1 line=4294967296",
		"site 1 runtime=256",
		"site 1 ret=x",
		"runtime 0 workers=1048577",
		"runtime 0 workers=1 calls-ps=1000001",
		"module 0 start=",
		"sync 1",
		"sync x 1",
		"sync 1 x",
		"whole",
		"whole x",
		"clock",
		"meta",
	};
	struct defs defs = { 0 };
	size_t before = mapped_bytes();
	const char *what;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		what = NULL;
		if (say(&defs, bad[i], &what) != -EPROTO)
			fail_msg("`%s` was taken", bad[i]);
		assert_non_null(what);
		assert_true(defs.n_sites < 9 && defs.n_modules < 9 && defs.n_runtimes < 9);
	}
	assert_true(mapped_bytes() < before + (1u << 20));
	assert_int_equal(say(&defs, "what 1", &what), -ENOENT);
	assert_int_equal(say(&defs, "Site 1", &what), -ENOENT);
	assert_int_equal(say(&defs, "", &what), 0);
	assert_int_equal(say(&defs, "  # only a comment", &what), 0);
	assert_int_equal(say(&defs, "site 1 later=1 name=a  # x", &what), 0);
	assert_string_equal(defs.site[1].name, "a");
	defs_free(&defs);
	defs_free(&defs);
}

/* Numbers that each are not far beyond the last still do not add up to much memory. */
TEST(test_hostile_ladder)
{
	struct defs defs = { 0 };
	uint64_t bytes = 0;
	const char *what;

	for (int i = 0; i < 24; i++) {
		char line[64];

		bytes += (uint64_t)snprintf(line, sizeof(line), "site %u", 2 * defs.n_sites + 1024);
		if (say(&defs, line, &what) < 0)
			break;
	}
	if (defs.n_sites > 65536)
		fail_msg("%llu bytes of text made %u sites, which is %llu MiB",
			 (unsigned long long)bytes, defs.n_sites,
			 (unsigned long long)(defs.n_sites * sizeof(defs.site[0]) >> 20));
	defs_free(&defs);
}

/* Later lines win, and numbers may come in any order. */
TEST(test_defs)
{
	struct defs defs = { 0 };
	const char *what;

	for (uint32_t i = 3000; i-- > 0;) {
		char line[64];

		snprintf(line, sizeof(line), "site %u name=s%u line=%u", i % 1000, i, i);
		assert_int_equal(say(&defs, line, &what), 0);
	}
	assert_int_equal(defs.n_sites, 1000);
	for (uint32_t i = 0; i < 1000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "s%u", i);
		assert_string_equal(defs.site[i].name, name);
		assert_int_equal(defs.site[i].line, i);
	}
	assert_int_equal(say(&defs, "meta a 1", &what), 0);
	assert_int_equal(say(&defs, "meta b", &what), 0);
	assert_int_equal(say(&defs, "meta a 2", &what), 0);
	assert_string_equal(defs_meta(&defs, "a"), "2");
	assert_string_equal(defs_meta(&defs, "b"), "");
	assert_null(defs_meta(&defs, "c"));
	assert_int_equal(say(&defs, "sync 1 2", &what), 0);
	assert_true(defs.first.units == 1 && defs.last.ns == 2);
	assert_int_equal(say(&defs, "sync 3 4", &what), 0);
	assert_true(defs.first.units == 1 && defs.last.units == 3 && defs.n_syncs == 2);
	assert_int_equal(say(&defs, "module 5 start=0x10 end=32 bias=1", &what), 0);
	assert_int_equal(defs.n_modules, 6);
	assert_true(defs.module[5].end == 32 && defs.module[4].end == 0 && !defs.module[5].path);
	defs_free(&defs);
}

/* An error of the text names the line, and quotes it in printable bytes. */
TEST(test_errors)
{
	static const struct {
		const char *lines, *said;
	} bad[] = {
		{ "tptrace text 3\n", "line 1: `tptrace text 3`: " },
		{ "tptrace text 2 \n", "line 1: " },
		{ "tptrace text 1\n", "text of version 1, written by tptrace 0.1: " },
		{ FIRST "colour 1\n", "line 2: `colour 1`: an unknown definition" },
		{ FIRST "\n\n5 w0 dance\n", "line 4: `5 w0 dance`: an unknown event" },
		{ FIRST "5 w0 root 0.2\n",
		  "line 2: `5 w0 root 0.2`: the next id of worker 0 is 0.1" },
		{ FIRST "5 w0 root 1.1\n", "line 2: " },
		{ FIRST "5 w65536 root 65536.1\n", "line 2: " },
		{ FIRST "5 w0 root 0.1\n4 w0 end\n", "line 3: `4 w0 end`: time runs backwards" },
		{ FIRST "72057594037927936 w0 root 0.1\n", "line 2: " },
		{ FIRST "- w0 end\n", "line 2: `- w0 end`: a time is needed" },
		{ FIRST "5 w0 group\n", "line 2: `5 w0 group`: this event has no time" },
		{ FIRST "5 w0 begin 0.0\n", "line 2: " },
		{ FIRST "5 w0 begin 0.281474976710656\n", "line 2: " },
		{ FIRST "5 w0 begin 65536.1\n", "line 2: " },
		{ FIRST "5 w0 wait forever\n", "line 2: " },
		{ FIRST "- w0 depend in\n", "line 2: " },
		{ FIRST "- w0 depend in 0x1000000000000000\n", "line 2: " },
		{ FIRST "5 w0 create 0.1 site=4294967296\n", "line 2: " },
		{ FIRST "5 w0 create 0.1 team\n", "line 2: " },
		{ FIRST "\x1b[1m\xff\n", "line 2: `?[1m?`: " },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct reader *reader;
		struct err err;
		int error = trace_open(&reader, bad[i].lines, strlen(bad[i].lines), &err);

		assert_true(trace_told(error, &err));
		if (!strstr(err.text, bad[i].said))
			fail_msg("`%s` does not say `%s`", err.text, bad[i].said);
	}
}

/* A line of an event has a limit; one of definitions has none. */
TEST(test_long_lines)
{
	enum { BYTES = 100000 };
	char *text = malloc(BYTES + 100);
	int first = sprintf(text, FIRST "5 w0 root 0.1 #");
	struct reader *reader;
	struct err err;

	memset(text + first, 'x', BYTES);
	assert_int_equal(trace_open(&reader, text, (size_t)first + BYTES, &err), -EPROTO);
	assert_non_null(strstr(err.text, "line 2: `5 w0 root 0.1 #xxx"));
	assert_non_null(strstr(err.text, "a line that is too long"));
	first = sprintf(text, FIRST "meta k ");
	memset(text + first, 'x', BYTES);
	assert_int_equal(trace_open(&reader, text, (size_t)first + BYTES, &err), 0);
	assert_int_equal(strlen(defs_meta(reader_defs(reader), "k")), BYTES);
	reader_close(reader);
	free(text);
}

/* Damaged text is refused or read; what is read can be written and read again. */
TEST(test_damage)
{
	struct bytes text = bytes_of_file("test/golden/report/detached.txt");
	struct random random = { 9 };
	uint32_t n_taken = 0;

	assert_true(text.n > 100);
	for (int i = 0; i < 3000; i++) {
		size_t room = text.n + 8;
		struct bytes damaged = { malloc(room), 0 };
		struct reader *reader;
		struct err err;
		int error;

		memcpy(damaged.at, text.at, text.n);
		damaged.n = random_damage(&random, (uint8_t *)damaged.at, text.n, room);
		error = trace_open(&reader, damaged.at, damaged.n, &err);
		assert_true(!error || trace_told(error, &err));
		if (!error) {
			struct bytes once = dump(reader), twice = again(&once);

			check_same(&once, &twice, "damaged");
			reader_close(reader);
			bytes_free(&once);
			bytes_free(&twice);
			n_taken++;
		}
		bytes_free(&damaged);
	}
	assert_true(n_taken > 300 && n_taken < 2900);
	bytes_free(&text);
}
