/* SPDX-License-Identifier: MIT */
/* pending_test.c - events of a worker that wait to be collapsed: none is lost, ids and tallies stay
 * right. */
#include "collector/drain/pending.h"

#include "test/lib/test.h"

#include "collector/trace/operand.h"
#include "test/unit/random.h"
#include "test/unit/tallies.h"

#define ROOM 4096u

static struct collapse *collapse;
static struct pending_spare spare;
static struct pending_buffer pending;
static const struct collapse_limits limits = { .strand = 1000,
					       .task = 100000,
					       .least = WIRE_COLLAPSED_FIELDS };
static uint64_t ticks;

static int begin(void **state)
{
	collapse = collapse_new();
	spare = (struct pending_spare){ .most = ROOM, .room = ROOM };
	pending = (struct pending_buffer){ .spare = &spare };
	ticks = 0;
	return 0;
}

static int end(void **state)
{
	pending_free(&pending);
	pending_free_spare(&spare);
	collapse_free(collapse);
	return 0;
}

static struct wire_event timed(unsigned kind, uint64_t b)
{
	return (struct wire_event){ event_at(++ticks, kind), b };
}

static uint32_t add(struct wire_event *event, uint32_t n)
{
	struct slice source = { .slot = event, .n = n };

	assert_true(pending_has_room(&pending, n));
	assert_true(pending_open(&pending));
	pending_add(&pending, collapse, &limits, &source);
	return pending.n;
}

#define LEAF_READY 3u /* ticks from creation to begin */
#define LEAF_WORK 1u  /* ticks */

/* Of worker 0, whose ids are numbers. */
static uint32_t put_leaf(struct wire_event *out, uint64_t parent, uint64_t child)
{
	out[0] = timed(WIRE_CREATE, 1);
	out[1] = timed(WIRE_RESUME, parent);
	out[2] = timed(WIRE_WAIT, site_make(2, WIRE_WAIT_CHILDREN));
	out[3] = timed(WIRE_BEGIN, child);
	out[4] = timed(WIRE_END, 0);
	out[5] = timed(WIRE_RESUME, parent);
	return 6;
}

/* A task with many leaves comes in pieces; all of it shrinks to one record. */
TEST_WITH(test_pieces, begin, end)
{
	struct wire_event event[8];
	uint32_t n_tasks = 300, most = 0;

	event[0] = timed(WIRE_ROOT, 1);
	event[1] = timed(WIRE_CREATE, 1);
	event[2] = timed(WIRE_RESUME, 1);
	event[3] = timed(WIRE_WAIT, site_make(2, WIRE_WAIT_CHILDREN));
	event[4] = timed(WIRE_BEGIN, 2);
	add(event, 5);
	for (uint32_t i = 0; i < n_tasks; i++) {
		uint32_t n = add(event, put_leaf(event, 2, 3 + i));

		most = n > most ? n : most;
	}
	event[0] = timed(WIRE_END, 0);
	event[1] = timed(WIRE_RESUME, 1);
	event[2] = timed(WIRE_END, 0);
	add(event, 3);
	assert_int_equal(pending.ids, n_tasks + 2);
	assert_int_equal(pending.ids_before, 0);
	pending_collapse(&pending, collapse, &limits, 0);
	assert_true(pending.n < WIRE_COLLAPSED_FIELDS + 10 && pending.n < most);
	assert_int_equal(event_kind(&pending.event[0]), WIRE_ROOT);
	assert_int_equal(tallies_made(pending.event, pending.n), 6 * n_tasks + 8);
	while (event_kind(&pending.event[pending.n - 1]) == WIRE_TALLY)
		pending.n--;
	assert_int_equal(event_kind(&pending.event[pending.n - 1]), WIRE_END);
	assert_int_equal(event_ticks(&pending.event[pending.n - 1]), ticks);
	pending_clear(&pending);
	assert_int_equal(pending.ids_before, n_tasks + 2);
}

/* What nothing can be done about is copied, and after some vain slices not even looked at. */
TEST_WITH(test_fruitless, begin, end)
{
	struct wire_event event[64], *all = malloc(64 * 40 * sizeof(*all));
	uint32_t n = 0, n_passed = 0;

	for (unsigned slice = 0; slice < 40; slice++) {
		for (unsigned i = 0; i < 64; i += 2) { /* of tasks that others created */
			event[i] = timed(WIRE_BEGIN, id_make(7, n + i));
			event[i + 1] = timed(WIRE_END, 0);
		}
		memcpy(all + n, event, sizeof(event));
		n_passed += pending.slices.pass > 0;
		n += 64;
		add(event, 64);
	}
	assert_int_equal(pending.n, n);
	assert_memory_equal(pending.event, all, n * sizeof(*all));
	assert_true(n_passed > 20);
	free(all);
}

/* Buffers in a row in which nothing can be collapsed; how many of them were tried. */
static uint32_t n_looked_at(uint32_t n_holds)
{
	struct wire_event event[64], *before;
	uint32_t n_looked = 0;

	for (uint32_t i = 0; i < n_holds; i++) {
		for (uint32_t k = 0; k < 64; k += 2) {
			event[k] = timed(WIRE_BEGIN, id_make(7, 1));
			event[k + 1] = timed(WIRE_END, 0);
		}
		add(event, 64);
		before = pending.event;
		pending_collapse(&pending, collapse, &limits, 0);
		n_looked += pending.event != before; /* it takes the spare's place */
		assert_int_equal(pending.n, 64);
		pending_clear(&pending);
	}
	return n_looked;
}

/* So is what is pending; but it is tried again soon, and what can be collapsed is. */
TEST_WITH(test_fruitless_whole, begin, end)
{
	struct wire_event event[8];
	uint32_t n_looked = n_looked_at(40);

	assert_true(n_looked >= 6 && n_looked <= 20);
	for (uint32_t n = 0, n_holds = 0;; n_holds++) {
		uint32_t most = 0;

		assert_true(n_holds < 32);
		for (uint32_t i = 0; i < 40; i++) { /* each slice is in vain, all of them are not */
			n = 0;
			if (i == 0) {
				event[n++] = timed(WIRE_ROOT, 0);
				event[n++] = timed(WIRE_CREATE, 1);
				event[n++] = timed(WIRE_RESUME, pending.ids + 1);
				event[n++] = timed(WIRE_WAIT, site_make(2, WIRE_WAIT_CHILDREN));
				event[n++] = timed(WIRE_BEGIN, pending.ids + 2);
			} else {
				n = put_leaf(event, pending.ids_before + 2, pending.ids + 1);
			}
			most = add(event, n);
		}
		event[0] = timed(WIRE_END, 0);
		add(event, 1);
		pending_collapse(&pending, collapse, &limits, 0);
		if (pending.n < most)
			break;
		pending_clear(&pending);
	}
}

/* What was looked at is not looked at again as long as nothing came. */
TEST_WITH(test_looks_once, begin, end)
{
	struct wire_event event[2] = { timed(WIRE_ROOT, 1), timed(WIRE_END, 0) }, *first;

	add(event, 2);
	first = pending.event;
	pending_collapse(&pending, collapse, &limits, 0);
	assert_ptr_not_equal(pending.event, first); /* it took the spare's place */
	pending_collapse(&pending, collapse, &limits, 0);
	assert_ptr_not_equal(pending.event, first);
}

/* An empty buffer lends its memory to the next. */
TEST_WITH(test_lends, begin, end)
{
	struct wire_event event[2] = { timed(WIRE_ROOT, 1), timed(WIRE_END, 0) };
	struct wire_event *memory;
	struct pending_buffer other = { .spare = &spare };
	struct slice source = { .slot = event, .n = 2 };

	add(event, 2);
	pending_give_back(&pending);
	assert_non_null(pending.event); /* not with events in it */
	memory = pending.event;
	pending_clear(&pending);
	pending_give_back(&pending);
	assert_null(pending.event);
	assert_true(pending_open(&other));
	pending_add(&other, collapse, &limits, &source);
	assert_ptr_equal(other.event, memory);
	pending_free(&other);
}

/* It comes to another thread, whose spare has had no use yet. */
TEST_WITH(test_other_spare, begin, end)
{
	struct pending_spare other = { .most = ROOM, .room = ROOM };
	struct wire_event event[6];

	event[0] = timed(WIRE_ROOT, 1);
	add(event, 1);
	for (uint32_t i = 0; i < 50; i++)
		add(event, put_leaf(event, 1, i + 2));
	pending.spare = &other;
	pending_collapse(&pending, collapse, &limits, 0);
	assert_true(pending.n > 1 && pending.n < 50);
	assert_int_equal(event_kind(&pending.event[0]), WIRE_ROOT);
	assert_int_equal(pending.ids, 51);
	pending_free(&pending);
	pending_free_spare(&other);
}

/* How many tasks, all leaves, the buffer's tallies have. */
static uint64_t n_tallied(void)
{
	struct tallies sum = tallies_of(pending.event, pending.n, UINT32_MAX);
	uint64_t in_buckets = 0;

	for (uint32_t k = 0; k < WIRE_BUCKETS; k++)
		in_buckets += sum.n_by_work[k];
	assert_int_equal(in_buckets, sum.n_tasks);
	assert_int_equal(sum.work, LEAF_WORK * sum.n_tasks);
	assert_int_equal(sum.ready, LEAF_READY * sum.n_tasks);
	assert_int_equal(sum.least, LEAF_WORK);
	assert_int_equal(sum.most, LEAF_WORK);
	return sum.n_tasks;
}

/* So many leaves of a task, of which nearly all are collapsed: how many. */
static uint64_t collapse_leaves(uint32_t n)
{
	struct wire_event event[6];
	uint64_t parent = pending.ids + 1;

	event[0] = timed(WIRE_ROOT, 1);
	add(event, 1);
	for (uint32_t i = 0; i < n; i++)
		add(event, put_leaf(event, parent, parent + i + 1));
	pending_collapse(&pending, collapse, &limits, 0);
	return n_tallied();
}

/* A buffer has the tallies of its events, whatever the pass was for meanwhile. */
TEST_WITH(test_tallies, begin, end)
{
	uint64_t n_first = collapse_leaves(70);
	struct pending_buffer first = pending;

	assert_in_range(n_first, 60, 70);
	pending = (struct pending_buffer){ .spare = &spare };
	assert_in_range(collapse_leaves(90), 80, 90);
	pending_free(&pending);
	pending = first;
	assert_int_equal(n_tallied(), n_first);
	pending.n_tried = 0; /* once more changes nothing */
	pending_collapse(&pending, collapse, &limits, 0);
	assert_int_equal(n_tallied(), n_first);
	assert_true(tallies_of(pending.event, pending.n, UINT32_MAX).n_waits >= n_first);
	pending_clear(&pending);
	pending.whole = (struct backoff){ 0 };	      /* once more was in vain */
	assert_in_range(collapse_leaves(40), 30, 40); /* and none of before */
}

/* Whatever tallies the program wrote into its ring: no more events come out than went in. */
TEST_WITH(test_tallies_nonsense, begin, end)
{
	struct random random = { 3 };
	struct wire_event event[40];

	for (uint32_t k = 0; k < 3000; k++) {
		uint32_t n = 1 + (uint32_t)random_below(&random, 40);
		uint64_t made;

		for (uint32_t i = 0; i < n; i++) {
			uint32_t part = (uint32_t)random_below(&random, 512);
			uint64_t value = random_below(&random, 2) ? WIRE_TALLY_MOST : 1;

			if (random_below(&random, 2))
				part = part % WIRE_TALLY_BY_WORK;
			event[i] =
				(struct wire_event){ WIRE_TALLY,
						     tally_make((uint32_t)random_below(&random, 3),
								part, value) };
		}
		pending_clear(&pending);
		add(event, n);
		made = tallies_made(event, n);
		pending_collapse(&pending, collapse, &limits, 0);
		assert_in_range(pending.n, 0, n);
		assert_int_equal(tallies_made(pending.event, pending.n), made);
	}
}
