/* SPDX-License-Identifier: MIT */
/*
 * again_test.c - a slice that is looked at twice: what its worker tells of tasks that it collapsed
 * itself counts once.
 */
#include "collector/collapse/collapse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "collector/trace/operand.h"

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

static uint32_t run(struct collapse *collapse, const struct made *m)
{
	static struct wire_event out[16 + 8 * CHILDREN];
	struct collapse_source source = { .slot = m->event, .mask = UINT64_MAX, .n = m->n };

	return collapse_run(collapse, &source, &limits, out);
}

/* The tallies of tasks that are collapsed at once, as a worker tells them. */
static uint32_t tell(struct wire_event *out, uint32_t n_most, struct collapse_tally *tally)
{
	struct collapse *collapse = collapse_new();
	static struct made m;
	uint32_t n;

	assert_non_null(collapse);
	m = (struct made){ .n = 0 };
	add(&m, WIRE_ROOT, 0);
	for (uint32_t i = 0; i < CHILDREN; i++)
		add_inlined(&m, OTHER_SITE);
	add(&m, WIRE_END, 0);
	assert_true(run(collapse, &m) < m.n / 2);
	*tally = collapse_tallies(collapse, &n)[0];
	assert_int_equal(n, 1);
	assert_int_equal(tally->n_tasks, CHILDREN);
	n = collapse_tell(collapse, out, n_most);
	assert_in_range(n, 5, n_most);
	collapse_free(collapse);
	return n;
}

/* How many events remain of one that runs children at once, with `n_deferred` that wait meanwhile.
 */
static uint32_t rest(struct collapse *collapse, uint32_t n_deferred, struct collapse_tally *told)
{
	static struct made m;

	m = (struct made){ .n = 0 };
	add(&m, WIRE_ROOT, 0);
	for (uint32_t i = 0; i < n_deferred; i++)
		add_deferred(&m);
	for (uint32_t i = 0; i < CHILDREN; i++) {
		if (i == CHILDREN / 2)
			m.n += tell(&m.event[m.n], 64, told);
		add_inlined(&m, SITE);
	}
	return run(collapse, &m);
}

static const struct collapse_tally *tally_of_site(const struct collapse *collapse, uint32_t site)
{
	uint32_t n;
	const struct collapse_tally *tally = collapse_tallies(collapse, &n);

	while (n && tally->site != site) {
		tally++;
		n--;
	}
	assert_true(n > 0);
	return tally;
}

static void check(uint32_t n_deferred)
{
	struct collapse *collapse = collapse_new();
	const struct collapse_tally *heard;
	struct collapse_tally told;

	assert_non_null(collapse);
	/* with some that wait this needs the second look */
	assert_true(rest(collapse, n_deferred, &told) < 2 * CHILDREN);
	assert_in_range(tally_of_site(collapse, SITE)->n_tasks, CHILDREN / 4, CHILDREN);
	heard = tally_of_site(collapse, OTHER_SITE);
	assert_int_equal(heard->n_tasks, told.n_tasks);
	assert_int_equal(heard->work, told.work);
	assert_int_equal(heard->ready, told.ready);
	assert_int_equal(heard->least, told.least);
	assert_int_equal(heard->most, told.most);
	assert_memory_equal(heard->n_by_work, told.n_by_work, sizeof(told.n_by_work));
	collapse_free(collapse);
}

static void test_told_once(void **state)
{
	(void)state;
	check(0);
}

static void test_told_once_to_who_looks_twice(void **state)
{
	(void)state;
	check(DEFERRED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_told_once),
		cmocka_unit_test(test_told_once_to_who_looks_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
