/* SPDX-License-Identifier: MIT */
/* crew_test.c - pieces of work in child processes: what they say comes whole and in order. */
#include "tools/team/crew.h"

#include <signal.h>
#include <unistd.h>

#include "test/lib/test.h"

#define PIECES 200u
#define LONG 100000u /* bytes: more than a pipe would hold */

struct told {
	uint32_t n_taken;
	uint32_t n_crashed, n_left;
	char name[PIECES][8];
};

static bool crashes(uint32_t piece)
{
	return piece % 17 == 5;
}

static bool leaves(uint32_t piece)
{
	return piece % 50 == 49;
}

static bool is_silent(uint32_t piece)
{
	return piece % 100 == 99;
}

static int work(void *context, const char *name, FILE *result)
{
	uint32_t piece = (uint32_t)strtoul(name, NULL, 10);

	printf("out %u", piece);
	if (!is_silent(piece))
		fprintf(stderr, "err %u", piece);
	for (uint32_t i = 0; i < (piece % 7 ? 3 : LONG); i++)
		fputc((int)(piece % 128), result);
	if (crashes(piece))
		raise(SIGKILL);
	if (leaves(piece))
		_exit(3);
	return (int)(piece % 4);
}

static const char *name_of(void *context, uint32_t piece)
{
	struct told *told = context;

	snprintf(told->name[piece], sizeof(told->name[piece]), "%u", piece);
	return told->name[piece];
}

/* It ended the process: what it said of it is there. */
static void take_left(uint32_t piece, const struct crew_done *done)
{
	char text[32];

	if (is_silent(piece)) {
		assert_int_equal(done->error, -EIO);
		return;
	}
	assert_int_equal(done->error, 0);
	assert_int_equal(done->status, 3);
	snprintf(text, sizeof(text), "err %u", piece);
	assert_string_equal(done->err.at, text);
}

static void take(void *context, uint32_t piece, struct crew_done *done)
{
	struct told *told = context;
	char text[32];

	assert_int_equal(piece, told->n_taken++);
	if (crashes(piece)) {
		told->n_crashed++;
		assert_int_equal(done->status, -SIGKILL);
		assert_int_equal(done->error, 0);
		return;
	}
	if (leaves(piece)) {
		told->n_left++;
		take_left(piece, done);
		return;
	}
	assert_int_equal(done->error, 0);
	assert_int_equal(done->status, piece % 4);
	snprintf(text, sizeof(text), "out %u", piece);
	assert_string_equal(done->out.at, text);
	snprintf(text, sizeof(text), "err %u", piece);
	assert_string_equal(done->err.at, text);
	assert_int_equal(done->result.n, piece % 7 ? 3 : LONG);
	for (size_t i = 0; i < done->result.n; i++)
		assert_int_equal(done->result.at[i], piece % 128);
}

static void run(uint32_t n, uint32_t width)
{
	struct told told = { 0 };
	const struct crew crew = {
		.work = work, .name = name_of, .take = take, .context = &told, .width = width
	};
	uint32_t order[PIECES] = { 0 };

	for (uint32_t i = 0; i < n; i++)
		order[i] = n - 1 - i;
	assert_int_equal(crew_run(&crew, order, n), 0);
	assert_int_equal(told.n_taken, n);
	if (n == PIECES) {
		assert_int_equal(told.n_crashed, 12);
		assert_int_equal(told.n_left, 4);
	}
}

TEST(test_in_order)
{
	for (uint32_t width = 1; width <= 8; width++)
		run(PIECES, width);
}

TEST(test_few)
{
	run(0, 3);
	run(1, 3);
	run(6, 1024); /* 5 crashes: the last one of all */
}
