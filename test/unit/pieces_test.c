/* SPDX-License-Identifier: MIT */
/*
 * pieces_test.c - a task that takes longer than a piece may is collapsed, and told piece by piece.
 */
#include "collector/drain/collapse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "collector/trace/operand.h"

#define SITE 1u
#define CHILDREN 5000u
#define TICKS 10u /* from one event to the next */
#define PIECE 4000u
#define ROOM (8 * CHILDREN)

static const struct collapse_limits limits = { .strand = 1000,
					       .task = PIECE,
					       .least = WIRE_COLLAPSED_FIELDS };

static struct wire_event made[ROOM], left[ROOM], again[ROOM];
static uint32_t n_made;
static uint64_t ticks;

static void add(unsigned kind, uint64_t b)
{
	ticks += TICKS;
	made[n_made++] = (struct wire_event){ event_at(ticks, kind), b };
}

/* A task creates others, which run at once; id 1 is its own. */
static void make_loop(void)
{
	n_made = 0;
	ticks = 0;
	add(WIRE_ROOT, 0);
	for (uint64_t i = 0; i < CHILDREN; i++) {
		add(WIRE_CREATE, SITE);
		add(WIRE_BEGIN, i + 2);
		add(WIRE_END, 0);
		add(WIRE_RESUME, 1);
	}
	add(WIRE_END, 0);
}

static uint32_t collapse_to(struct collapse *collapse, const struct wire_event *from, uint32_t n,
			    uint64_t piece, struct wire_event *out)
{
	struct collapse_limits now = limits;
	struct collapse_source source = { .slot = from, .mask = UINT64_MAX, .n = n };

	now.task = piece;
	n = collapse_run(collapse, &source, &now, out);
	assert_int_equal(source.n_ids, CHILDREN + 1);
	return n;
}

/* What records say, all together. */
struct said {
	uint32_t n_records, n_splits;
	uint64_t longest, made, own, work, span, n_tasks, took;
};

/* Each record says how long it takes, from the event that begins its strand to the one that ends
 * it. */
static struct said said_by(const struct wire_event *event, uint32_t n)
{
	struct said said = { 0 };
	uint64_t begin = 0, took = 0;

	for (uint32_t i = 0; i < n; i++) {
		unsigned kind = event_kind(&event[i]), field = collapsed_field(event[i].b);
		uint64_t value = collapsed_value(event[i].b);

		if (kind_begins(kind)) {
			begin = event_ticks(&event[i]);
			took = 0;
		} else if (kind_ends(kind) && took) {
			assert_int_equal(event_ticks(&event[i]) - begin, took);
			said.longest = took > said.longest ? took : said.longest;
			said.took += took;
			said.n_records++;
		}
		said.n_splits += kind == WIRE_SPLIT;
		if (kind != WIRE_COLLAPSED)
			continue;
		if (field >= WIRE_COLLAPSED_IDLE && field < WIRE_COLLAPSED_JOIN_SPAN)
			took += value;
		said.made += field == WIRE_COLLAPSED_MADE ? value : 0;
		said.own += field == WIRE_COLLAPSED_OWN ? value : 0;
		said.work += field == WIRE_COLLAPSED_WORK ? value : 0;
		said.span += field == WIRE_COLLAPSED_SPAN ? value : 0;
		said.n_tasks += field == WIRE_COLLAPSED_TASKS ? value : 0;
	}
	return said;
}

static void a_long_loop_is_told_in_pieces(void **state)
{
	struct collapse *collapse = collapse_new();
	struct said one, many;
	uint32_t n;

	(void)state;
	assert_non_null(collapse);
	make_loop();
	n = collapse_to(collapse, made, n_made, UINT64_MAX, left);
	one = said_by(left, n);
	assert_int_equal(one.n_records, 1);
	assert_int_equal(one.n_splits, 0);
	n = collapse_to(collapse, made, n_made, PIECE, left);
	many = said_by(left, n);
	assert_in_range(many.n_records, CHILDREN * 4 * TICKS / PIECE - 2,
			CHILDREN * 4 * TICKS / PIECE + 2);
	assert_int_equal(many.n_splits, many.n_records - 1);
	assert_true(many.longest <= PIECE);
	assert_int_equal(many.took, one.took);
	assert_int_equal(many.made, one.made);
	assert_int_equal(many.own, one.own);
	assert_int_equal(many.work, one.work);
	assert_int_equal(many.span, one.span);
	assert_int_equal(many.n_tasks, one.n_tasks);
	assert_true(many.n_tasks > CHILDREN - 20); /* all but those after the last mark */
	collapse_free(collapse);
}

/* Pieces are collapsed again, into longer ones. */
static void pieces_become_longer(void **state)
{
	struct collapse *collapse = collapse_new();
	struct said one, few, many;
	uint32_t n;

	(void)state;
	assert_non_null(collapse);
	make_loop();
	n = collapse_to(collapse, made, n_made, PIECE, left);
	many = said_by(left, n);
	one = said_by(again, collapse_to(collapse, left, n, UINT64_MAX, again));
	few = said_by(again, collapse_to(collapse, left, n, 4 * PIECE, again));
	assert_int_equal(one.n_records, 1);
	assert_in_range(few.n_records, many.n_records / 5, many.n_records / 3);
	assert_true(few.longest <= 4 * PIECE);
	assert_int_equal(few.took, one.took);
	assert_int_equal(few.made, one.made);
	assert_int_equal(few.own, one.own);
	assert_int_equal(few.work, one.work);
	assert_int_equal(few.span, one.span);
	assert_int_equal(few.n_tasks, one.n_tasks);
	collapse_free(collapse);
}

/* As at the very beginning of a run, when nothing may take any time. */
static void nothing_is_shorter_than_nothing(void **state)
{
	struct collapse *collapse = collapse_new();

	(void)state;
	assert_non_null(collapse);
	make_loop();
	assert_int_equal(collapse_to(collapse, made, n_made, 0, left), n_made);
	collapse_free(collapse);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_loop_is_told_in_pieces),
		cmocka_unit_test(pieces_become_longer),
		cmocka_unit_test(nothing_is_shorter_than_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
