/* SPDX-License-Identifier: MIT */
/* marks_test.c - of more marks than are kept: the newest whole, all starts and stops, a count. */
#include "collector/definitions/marks.h"

#include "test/lib/test.h"

static struct session session;
static struct marks marks;

static void keep(uint64_t ticks, enum wire_mark what)
{
	struct session_mark mark = { .ticks = ticks, .what = what, .name = "m" };

	marks_keep(&marks, &mark);
}

static unsigned count(const struct lines *lines, const char *word)
{
	unsigned n = 0;

	for (const char *at = lines->text; at && (at = strstr(at, word)); at++)
		n++;
	return n;
}

static int end(void **state)
{
	marks_free(&marks);
	return 0;
}

TEST_WITH(test_few, NULL, end)
{
	struct lines lines = { 0 };

	keep(10, WIRE_MARK_PHASE);
	keep(20, WIRE_MARK_STOP);
	marks_put(&marks, 1, &lines);
	assert_string_equal(lines.text, "mark 5 phase m\nmark 10 stop m\n");
	free(lines.text);
	lines = (struct lines){ 0 };
	marks_put_lost(&marks, &session, 1, &lines);
	assert_int_equal(lines.bytes, 0);
}

TEST_WITH(test_many, NULL, end)
{
	const uint32_t n = 3 * MARKS_KEPT;
	struct lines lines = { 0 };
	unsigned n_turns = 0;

	for (uint32_t i = 0; i < n; i++) {
		n_turns += i % 1000 == 0;
		keep(2 * i, i % 1000 ? WIRE_MARK_PHASE : WIRE_MARK_START + (i % 2000 == 0));
	}
	marks_put(&marks, 1, &lines);
	assert_int_equal(count(&lines, "stop") + count(&lines, "start"), n_turns);
	assert_int_equal(count(&lines, "\n") + marks_lost(&marks, &session), n);
	assert_memory_equal(lines.text, "mark 0 stop", 11);
	free(lines.text);
	lines = (struct lines){ 0 };
	marks_put_lost(&marks, &session, 1, &lines);
	assert_int_equal(count(&lines, "meta lost_marks_since 1\n"), 1);
	free(lines.text);
	/* what is lost is remembered when the kept ones are forgotten */
	n_turns = (unsigned)marks_lost(&marks, &session);
	marks_clear(&marks);
	assert_true(n_turns > 0 && marks_lost(&marks, &session) == n_turns);
	lines = (struct lines){ 0 };
	marks_put(&marks, 1, &lines);
	assert_int_equal(lines.bytes, 0);
}

/* Marks `from` .. taken - 1 were taken and not written; after them came others, up to n. */
static void check_again(uint32_t from, uint32_t taken, uint32_t n, uint32_t first, uint32_t n_lost)
{
	for (uint32_t i = n > SESSION_MARKS ? n - SESSION_MARKS : 0; i < n; i++)
		session.mark[i % SESSION_MARKS].place = i + 1;
	session.marks_taken = taken;
	session.marks_lost = 0;
	marks_take_again(&session, from);
	assert_int_equal(session.marks_taken, first);
	assert_int_equal(session.marks_lost, n_lost);
}

TEST(test_again)
{
	const uint32_t most = SESSION_MARKS;

	check_again(3, 3, 3, 3, 0);
	check_again(5, 3, 3, 3, 0); /* the trace says of more: it lies */
	check_again(3, 8, 9, 3, 0);
	check_again(0, most + 2, most + 2, 2, 2);
	check_again(0, 4, most + 2, 2, 2);
	check_again(0, 2, most + 2, 2, 2);
	session.mark[0].place = 0; /* the program died as it wrote it */
	session.marks_taken = most + 2;
	session.marks_lost = 0;
	marks_take_again(&session, most);
	assert_int_equal(session.marks_taken, most + 1);
	assert_int_equal(session.marks_lost, 1);
	session.marks_lost = 0;
}
