/* SPDX-License-Identifier: MIT */
/* runs_test.c - records of children that a waiting task's worker runs in a row become one. */
#include "collector/drain/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define CHILDREN 100u
#define BEHIND 7u /* that stay as they are */
#define SITE 1u
#define BAG 0x1000u
#define OTHER 0x2000u
#define ROOM 4096u

static struct wire_event before[ROOM], after[ROOM];
static uint32_t n_before;
static uint64_t ticks;

static void add(unsigned kind, uint64_t b)
{
	bool timed = kind_timed(kind);

	ticks += timed ? 10 : 0;
	before[n_before++] = (struct wire_event){ timed ? event_at(ticks, kind) : kind, b };
}

static uint64_t name_of(uint32_t i)
{
	return 0x7f0000 + 0x100 * i;
}

static void field(unsigned number, uint64_t value)
{
	add(WIRE_COLLAPSED, collapsed_make(number, value));
}

/* Each third has tasks below it: 40 ticks of its own, 100 of theirs, and 20 idle. */
static void add_child(uint32_t i)
{
	add(WIRE_START, name_of(i));
	if (i % 3 == 0) {
		field(WIRE_COLLAPSED_MADE, 10);
		field(WIRE_COLLAPSED_OWN, 40);
		field(WIRE_COLLAPSED_WORK, 140);
		field(WIRE_COLLAPSED_SPAN, 60);
		field(WIRE_COLLAPSED_PATH, 60);
		field(WIRE_COLLAPSED_CHAIN, 1);
		field(WIRE_COLLAPSED_TASKS, 5);
		field(WIRE_COLLAPSED_NEXT_CREATE, 20);
		field(WIRE_COLLAPSED_READY_CREATE, 70);
		field(WIRE_COLLAPSED_IDLE_0, 20);
		field(WIRE_COLLAPSED_BUSY_0, 70);
		field(WIRE_COLLAPSED_BUSY_1, 70);
		ticks += 150;
	}
	add(WIRE_END, 0);
}

/* A root creates all, and waits. */
static void add_root(uint32_t wait, uint64_t object, bool depends)
{
	n_before = 0;
	ticks = 0;
	add(WIRE_ROOT, 0);
	for (uint32_t i = 0; i < CHILDREN; i++) {
		add(WIRE_CREATE, SITE);
		add(WIRE_NAME, name_of(i));
		add(WIRE_BAG, BAG);
		if (depends)
			add(WIRE_DEPEND, depend_make(0x99, WIRE_DEPEND_IN));
		add(WIRE_RESUME, 1);
	}
	add(WIRE_WAIT, site_make(SITE, wait));
	add(WIRE_OBJECT, object);
}

static void add_newest_first(void)
{
	for (uint32_t i = CHILDREN; i-- > 0;)
		add_child(i);
}

static void add_end(void)
{
	add(WIRE_RESUME, 1);
	add(WIRE_END, 0);
}

/* What events say, all in all. */
struct sums {
	uint32_t n_events, n_records, n_begun;
	uint64_t n_ids, last, busy; /* in strands, as far as no record says otherwise */
	uint64_t field[WIRE_COLLAPSED_FIELDS];
};

static struct sums sum(const struct wire_event *event, uint32_t n)
{
	struct sums sums = { .n_events = n };
	uint64_t took = 0, begin = 0;

	for (uint32_t i = 0; i < n; i++) {
		unsigned kind = event_kind(&event[i]);

		sums.n_ids = ids_after(kind, event[i].b, sums.n_ids);
		if (kind_timed(kind)) {
			assert_true(event_ticks(&event[i]) >= sums.last);
			sums.last = event_ticks(&event[i]);
		}
		sums.n_begun += kind == WIRE_START;
		if (kind_begins(kind)) {
			begin = sums.last;
			took = 0;
		} else if (kind_ends(kind) && !took) {
			sums.busy += sums.last - begin;
		} else if (kind_ends(kind)) {
			assert_int_equal(took, sums.last - begin);
		}
		if (kind == WIRE_COLLAPSED) {
			unsigned number = collapsed_field(event[i].b);

			sums.n_records += number == WIRE_COLLAPSED_MADE;
			sums.field[number] += collapsed_value(event[i].b);
			if (number >= WIRE_COLLAPSED_IDLE && number < WIRE_COLLAPSED_JOIN_SPAN)
				took += collapsed_value(event[i].b);
		}
	}
	return sums;
}

/* In slices of some events. */
static struct sums merged(uint32_t slice, uint64_t longest)
{
	struct runs runs = { 0 };
	uint64_t n_ids = 0;
	uint32_t n = 0;

	for (uint32_t at = 0; at < n_before; at += slice) {
		uint32_t some = n_before - at < slice ? n_before - at : slice;

		memcpy(after + n, before + at, some * sizeof(*before));
		n += runs_merge(&runs, after + n, some, 0, n_ids, longest);
		for (uint32_t i = at; i < at + some; i++)
			n_ids = ids_after(event_kind(&before[i]), before[i].b, n_ids);
	}
	runs_free(&runs);
	return sum(after, n);
}

static uint64_t total(const struct sums *sums, unsigned first, unsigned n)
{
	uint64_t total = 0;

	for (unsigned i = first; i < first + n; i++)
		total += sums->field[i];
	return total;
}

static void records_become_one(void **state)
{
	struct sums one, all;
	uint64_t integral = 0;

	(void)state;
	add_root(WIRE_WAIT_BAG, BAG, false);
	add_newest_first();
	add_end();
	all = sum(before, n_before);
	one = merged(ROOM, UINT64_MAX);
	assert_int_equal(all.n_records, (CHILDREN + 2) / 3);
	/* 99 leads, the last that is not among those behind has all others, and those keep theirs
	 */
	assert_int_equal(one.n_records, 1 + 1 + (BEHIND + 2) / 3);
	assert_int_equal(one.n_begun, all.n_begun);
	assert_int_equal(one.n_ids, all.n_ids);
	assert_int_equal(one.last, all.last);
	assert_int_equal(one.busy + one.field[WIRE_COLLAPSED_WORK],
			 all.busy + all.field[WIRE_COLLAPSED_WORK]);
	assert_int_equal(one.field[WIRE_COLLAPSED_TASKS], all.field[WIRE_COLLAPSED_TASKS]);
	assert_int_equal(total(&one, WIRE_COLLAPSED_IDLE, 8), total(&all, WIRE_COLLAPSED_IDLE, 8));
	assert_int_equal(total(&one, WIRE_COLLAPSED_NEXT, 8), total(&all, WIRE_COLLAPSED_NEXT, 8));
	/* 96, 93 .. 12 move to 9, past each of those in between: 160 - 40 ticks */
	for (uint64_t i = 96; i > 9; i -= 3)
		integral += (i - 9) * 120;
	assert_int_equal(one.field[WIRE_COLLAPSED_READY_CREATE],
			 all.field[WIRE_COLLAPSED_READY_CREATE] + integral);
	/* of 15, with 6 children between, a part had one ready more; of 12, none had 7 */
	assert_int_equal(one.field[WIRE_COLLAPSED_BUSY_7], 27 * 100 + 70);
	assert_int_equal(one.field[WIRE_COLLAPSED_IDLE_7], 27 * 20);
	/* those behind are where they were */
	for (uint32_t i = 1; i <= 3 * BEHIND; i++)
		assert_memory_equal(&after[one.n_events - i], &before[n_before - i],
				    sizeof(*after));
}

static void slices_do_not_matter_to_sums(void **state)
{
	struct sums all, some;

	(void)state;
	add_root(WIRE_WAIT_BAG, BAG, false);
	add_newest_first();
	add_end();
	all = sum(before, n_before);
	for (uint32_t slice = 100; slice < 900; slice += 37) {
		some = merged(slice, 3000);
		assert_true(some.n_records < all.n_records);
		assert_int_equal(some.n_ids, all.n_ids);
		assert_int_equal(some.last, all.last);
		assert_int_equal(some.busy + some.field[WIRE_COLLAPSED_WORK],
				 all.busy + all.field[WIRE_COLLAPSED_WORK]);
	}
}

static void no_record_is_too_long(void **state)
{
	struct sums some;
	uint64_t begin = 0;

	(void)state;
	add_root(WIRE_WAIT_BAG, BAG, false);
	add_newest_first();
	add_end();
	some = merged(ROOM, 1000);
	assert_in_range(some.n_records, 8, 16);
	for (uint32_t i = 0; i < some.n_events; i++) {
		if (kind_begins(event_kind(&after[i])))
			begin = event_ticks(&after[i]);
		else if (kind_ends(event_kind(&after[i])))
			assert_true(event_ticks(&after[i]) - begin <= 1000);
	}
}

/* Whoever else waits for such a task would see that it ended earlier. */
static void others_stay_as_they_are(void **state)
{
	struct sums same;

	(void)state;
	for (unsigned how = 0; how < 8; how++) {
		add_root(how == 0 ? WIRE_WAIT_NAMED : WIRE_WAIT_BAG, how == 1 ? OTHER : BAG,
			 how == 2);
		if (how == 5) { /* another task waits for them, on top of the one that does */
			add(WIRE_START, OTHER);
			add(WIRE_WAIT, site_make(SITE, WIRE_WAIT_BAG));
			add(WIRE_OBJECT, BAG);
		}
		if (how == 6) { /* it waited for one by its name */
			add(WIRE_RESUME, 1);
			add(WIRE_WAIT, site_make(SITE, WIRE_WAIT_NAMED));
			add(WIRE_OBJECT, name_of(0));
			add(WIRE_RESUME, 1);
			add(WIRE_WAIT, site_make(SITE, WIRE_WAIT_BAG));
			add(WIRE_OBJECT, BAG);
		}
		if (how == 7) { /* a name may be awaited that is in no bag */
			for (uint32_t i = 0; i < n_before; i++)
				if (event_kind(&before[i]) == WIRE_BAG)
					before[i] = (struct wire_event){ WIRE_TRACER, 1 };
				else if (event_kind(&before[i]) == WIRE_WAIT)
					before[i].b = site_make(SITE, WIRE_WAIT_CHILDREN);
		}
		for (uint32_t i = CHILDREN; i-- > 0;) {
			/* another began first, or events are lost between two */
			add_child(how == 3 ? i ^ 1 : i);
			if (how == 4 && i % 4 == 0)
				add(WIRE_LOST, lost_make(1, WIRE_LOSS_RING));
		}
		add_end();
		same = merged(ROOM, UINT64_MAX);
		assert_int_equal(same.n_events, n_before);
		assert_memory_equal(after, before, n_before * sizeof(*after));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_become_one),
		cmocka_unit_test(slices_do_not_matter_to_sums),
		cmocka_unit_test(no_record_is_too_long),
		cmocka_unit_test(others_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
