/* SPDX-License-Identifier: MIT */
/* lines_test.c - lines for which there is no memory are left out whole, and the trace says so. */
#include "collector/trace/lines.h"

#include <sys/resource.h>
#include <unistd.h>

#include "collector/trace/file.h"
#include "test/lib/test.h"

#define LONG_BYTES (8u << 20)
#define PIECE_BYTES 1024u /* less than packing takes */
#define PIECES 65536u	  /* a sanitizer's malloc() would go on */

static char path[64];

/* From now on no memory can be had; or again. */
static void limit_memory(bool none)
{
	static struct rlimit before;
	struct rlimit small = { .rlim_cur = 1 << 20 };

	if (none)
		assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	small.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_AS, none ? &small : &before), 0);
}

/* Takes what malloc() has left in pieces: a list of them. */
static void **take_rest(void)
{
	void **last = NULL, **piece;

	for (uint32_t i = 0; i < PIECES && (piece = malloc(PIECE_BYTES)); i++) {
		*piece = last;
		last = piece;
	}
	return last;
}

static void give_back(void **last)
{
	while (last) {
		void **before = *last;

		free(last);
		last = before;
	}
}

static void put_lines(struct lines *lines, const char *text, struct trace_file *file)
{
	lines_meta(lines, "before", "1");
	lines_print(lines, "module 0");
	lines_field(lines, "path", text);
	lines_field(lines, "id", "7");
	lines_word(lines, NULL);
	lines_meta(lines, "behind", "2");
	assert_true(lines->failed);
	assert_string_equal(lines->text, "meta before 1\nmeta behind 2\n");
	lines_put(lines, file);
	assert_false(lines->failed);
}

/* The lines of a file that was closed with its end, as they are there. */
static void check_file(void)
{
	struct trace_file file;
	char *last = NULL;

	assert_int_equal(trace_file_look(&file, path), 0);
	assert_true(file.finished);
	assert_int_equal(lines_find(&file, "meta behind ", &last), 1);
	assert_string_equal(last, "2");
	assert_int_equal(lines_find(&file, "module ", NULL), 0);
	assert_int_equal(lines_find(&file, "meta ended ", NULL), 1);
	free(last);
	trace_file_close(&file);
}

TEST(no_memory)
{
	char *text = malloc(LONG_BYTES);
	struct lines lines = { 0 };
	struct trace_file file;
	void **rest;

	memset(text, 'x', LONG_BYTES - 1);
	text[LONG_BYTES - 1] = 0;
	assert_true(lines_reserve(&lines));
	assert_int_equal(trace_file_create(&file, path), 0);
	file.reserve_bytes = 32u << 10;
	limit_memory(true);
	rest = take_rest();
	put_lines(&lines, text, &file);
	assert_int_equal(file.error, 0);
	assert_int_equal(file.full, -ENOMEM);
	assert_int_equal(trace_file_mark(&file), 0);
	lines_meta(&lines, "ended", "cleanly"); /* there is room for the end all the same */
	lines_put(&lines, &file);
	assert_int_equal(trace_file_finish(&file), 0);
	limit_memory(false);
	give_back(rest);
	trace_file_close(&file);
	check_file();
	free(lines.text);
	free(text);
	unlink(path);
}

int main(void)
{
	snprintf(path, sizeof(path), "/tmp/tptrace-lines.%d.tpt", (int)getpid());
	return test_all();
}
