/* SPDX-License-Identifier: MIT */
/*
 * again_test.c - a slice that is looked at twice: tallies of tasks that were collapsed before count
 * once, and the recorder's holds inside what is collapsed stay.
 */
#include "collector/collapse/collapse.h"

#include "test/lib/test.h"

#include "collector/trace/operand.h"
#include "test/unit/tallies.h"

#define SITE 1u
#define OTHER_SITE 2u
#define CHILDREN 500u
#define DEFERRED 4u /* children that wait to begin, while others run at once */

static const struct collapse_limits limits = { .strand = 1000,
					       .task = 1000000,
					       .least = WIRE_COLLAPSED_FIELDS };

/* A worker's events, and the time of the last one. */
struct made {
	struct wire_event event[16 + 8 * CHILDREN];
	uint32_t n;
	uint64_t ticks, n_ids;
};

static void add(struct made *m, unsigned kind, uint64_t b)
{
	m->event[m->n++] = (struct wire_event){ event_at(++m->ticks, kind), b };
	m->n_ids += kind == WIRE_ROOT || kind == WIRE_CREATE;
}

static void add_deferred(struct made *m)
{
	add(m, WIRE_CREATE, SITE);
	add(m, WIRE_RESUME, 1);
}

static void add_inlined(struct made *m, uint64_t site)
{
	add(m, WIRE_CREATE, site);
	add(m, WIRE_BEGIN, m->n_ids);
	add(m, WIRE_END, 0);
	add(m, WIRE_RESUME, 1);
}

/* What is left of them, as many as it returns. */
static struct wire_event out[16 + 8 * CHILDREN];

static uint32_t run(struct collapse *collapse, const struct made *m)
{
	struct slice source = { .slot = m->event, .n = m->n };

	return collapse_run(collapse, &source, &limits, out);
}

/* The tallies of tasks that are collapsed at once, as a worker leaves them. */
static uint32_t tally(struct collapse *collapse, struct wire_event *event, uint32_t n_most)
{
	static struct made m;
	uint32_t n, n_tallies = 0;

	m = (struct made){ .n = 0 };
	add(&m, WIRE_ROOT, 0);
	for (uint32_t i = 0; i < CHILDREN; i++)
		add_inlined(&m, OTHER_SITE);
	add(&m, WIRE_END, 0);
	n = run(collapse, &m);
	assert_true(n < m.n / 2);
	assert_int_equal(tallies_made(out, n), m.n);
	for (uint32_t i = 0; i < n; i++)
		if (event_kind(&out[i]) == WIRE_TALLY) {
			assert_in_range(n_tallies, 0, n_most - 1);
			event[n_tallies++] = out[i];
		}
	assert_in_range(n_tallies, 5, n_most);
	assert_int_equal(event_kind(&out[n - n_tallies]), WIRE_TALLY); /* they are the last */
	return n_tallies;
}

/* How many events remain of one that runs children at once, with `n_deferred` that wait meanwhile.
 */
static uint32_t rest(struct collapse *collapse, uint32_t n_deferred, struct tallies *before)
{
	static struct made m;
	uint32_t n, n_tallies;
	uint64_t made;

	m = (struct made){ .n = 0 };
	add(&m, WIRE_ROOT, 0);
	for (uint32_t i = 0; i < n_deferred; i++)
		add_deferred(&m);
	for (uint32_t i = 0; i < CHILDREN; i++) {
		if (i == CHILDREN / 2) {
			n_tallies = tally(collapse, &m.event[m.n], 64);
			*before = tallies_of(&m.event[m.n], n_tallies, OTHER_SITE);
			m.n += n_tallies;
		}
		add_inlined(&m, SITE);
	}
	made = tallies_made(m.event, m.n);
	n = run(collapse, &m);
	assert_int_equal(tallies_made(out, n), made);
	return n;
}

static void check(uint32_t n_deferred)
{
	struct collapse *collapse = collapse_new();
	struct tallies before, after;
	uint32_t n;

	assert_non_null(collapse);
	/* with some that wait this needs the second look */
	n = rest(collapse, n_deferred, &before);
	assert_true(n < 2 * CHILDREN);
	assert_int_equal(before.n_tasks, CHILDREN);
	assert_in_range(tallies_of(out, n, SITE).n_tasks, CHILDREN / 4, CHILDREN);
	after = tallies_of(out, n, OTHER_SITE);
	assert_true(after.n_events > before.n_events);
	assert_true(after.n_waits >= before.n_waits);
	after.n_events = before.n_events;
	after.n_waits = before.n_waits;
	assert_memory_equal(&after, &before, sizeof(after));
	collapse_free(collapse);
}

TEST(test_counts_once)
{
	check(0);
}

TEST(test_counts_once_where_it_looks_twice)
{
	check(DEFERRED);
}

TEST(test_keeps_holds)
{
	static struct made m;
	struct collapse *collapse = collapse_new();
	uint64_t held = 0;
	uint32_t n;

	assert_non_null(collapse);
	add(&m, WIRE_ROOT, 0);
	for (uint32_t i = 1; i <= CHILDREN; i++) {
		if (i % (CHILDREN / 5) == 0)
			m.event[m.n++] = (struct wire_event){ WIRE_TRACER, 7 };
		add_inlined(&m, SITE);
	}
	add(&m, WIRE_END, 0);
	n = run(collapse, &m);
	assert_true(n < m.n / 2);
	for (uint32_t i = 0; i < n; i++)
		held += event_kind(&out[i]) == WIRE_TRACER ? out[i].b : 0;
	assert_int_equal(held, 5 * 7);
	collapse_free(collapse);
}
