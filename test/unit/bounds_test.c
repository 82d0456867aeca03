/* SPDX-License-Identifier: MIT */
/* bounds_test.c - speed-ups of small graphs, worked out by hand; test/prop has random ones. */
#include "tools/analysis/bounds.h"

#include <math.h>

#include "test/unit/built.h"

#define HEAD "tptrace text 2\nclock ns\nruntime 0 name=r version=x workers="

/* main creates two tasks of 40 ns, and the other worker takes the first; golden's workers_more.txt.
 */
static const char two_tasks[] = HEAD "2\nsite 1 name=t\n"
				     "0 w0 root 0.1\n"
				     "10 w0 create 0.2 site=1\n"
				     "12 w0 resume 0.1\n"
				     "14 w1 begin 0.2\n"
				     "20 w0 create 0.3 site=1\n"
				     "21 w0 resume 0.1\n"
				     "22 w0 wait children site=2\n"
				     "24 w0 begin 0.3\n"
				     "54 w1 end\n"
				     "64 w0 end\n"
				     "71 w0 resume 0.1\n"
				     "80 w0 end\n";

/* main creates a task of 40 ns with two below it: work 30, span 25. */
static const char collapsed[] = HEAD "1\nsite 1 name=k1\nsite 2 name=k2\n"
				     "0 w0 root 0.1\n"
				     "10 w0 create 0.2 site=1\n"
				     "12 w0 resume 0.1\n"
				     "20 w0 wait children site=0\n"
				     "24 w0 begin 0.2\n"
				     "- w0 collapsed made 2\n"
				     "- w0 collapsed own 10\n"
				     "- w0 collapsed work 30\n"
				     "- w0 collapsed span 25\n"
				     "- w0 collapsed path 20\n"
				     "- w0 collapsed chain 2\n"
				     "- w0 collapsed tasks 2\n"
				     "- w0 collapsed idle-0 10\n"
				     "- w0 collapsed busy-0 30\n"
				     "64 w0 end\n"
				     "66 w0 resume 0.1\n"
				     "70 w0 end\n"
				     "- w0 tally site=2 tasks 2\n"
				     "- w0 tally site=2 work 20\n"
				     "- w0 tally site=2 ready 8\n"
				     "- w0 tally site=2 min 8\n"
				     "- w0 tally site=2 max 12\n"
				     "- w0 tally site=2 by-work 8 1\n"
				     "- w0 tally site=2 by-work 12 1\n";

static void expect_near(double got, double want)
{
	if (!(fabs(got - want) < 1e-9))
		fail_msg("%.12f, want %.12f", got, want);
}

static void expect_point(const struct bounds *bounds, uint32_t workers, double lower, double ideal,
			 double upper)
{
	const struct bounds_point *point = &bounds->point[workers - 1];

	assert_int_equal(point->workers, workers);
	expect_near(point->lower, lower);
	expect_near(point->ideal, ideal);
	expect_near(point->upper, upper);
}

static int find(struct bounds *bounds, const struct select *select, uint64_t work_ns,
		uint64_t burden_ns)
{
	return bounds_find(bounds, &dag, select,
			   &(struct bounds_wanted){ .work_ns = work_ns, .burden_ns = burden_ns });
}

BUILT_TEST(test_measured)
{
	struct bounds bounds;

	build(two_tasks);
	assert_int_equal(find(&bounds, NULL, 108, BOUNDS_MEASURE), 0);
	assert_true(bounds.measured && bounds.burden_known);
	assert_int_equal(bounds.n_handovers, 1);
	assert_int_equal(bounds.burden_ns, 4);
	assert_int_equal(bounds.span_ns, 67);
	assert_int_equal(bounds.burdened_ns, 75);
	assert_int_equal(bounds.n_enough, 2);
	assert_int_equal(bounds.n_points, 8);
	expect_point(&bounds, 1, 108 / (108 + 127.5), 1, 1);
	expect_point(&bounds, 2, 108 / (54 + 127.5), 108 / 67.5, 108 / 67.);
	expect_point(&bounds, 8, 108 / (13.5 + 127.5), 108 / 67., 108 / 67.);
	bounds_free(&bounds);
}

/* As many points as somebody wants, and no less than is usual. */
BUILT_TEST(test_more)
{
	struct bounds_wanted wanted = { .work_ns = 108, .burden_ns = 4, .workers = 64 };
	struct bounds bounds;

	build(two_tasks);
	assert_int_equal(bounds_find(&bounds, &dag, NULL, &wanted), 0);
	assert_int_equal(bounds.n_points, 64);
	expect_point(&bounds, 64, 108 / (108 / 64. + 127.5), 108 / 67., 108 / 67.);
	bounds_free(&bounds);
	wanted.workers = 3;
	assert_int_equal(bounds_find(&bounds, &dag, NULL, &wanted), 0);
	assert_int_equal(bounds.n_points, 8);
	bounds_free(&bounds);
}

BUILT_TEST(test_set)
{
	struct bounds bounds;

	build(two_tasks);
	assert_int_equal(find(&bounds, NULL, 108, 0), 0);
	assert_false(bounds.measured);
	assert_int_equal(bounds.burdened_ns, 67);
	bounds_free(&bounds);
	/* the creator's way, over create-cont edges, is now the longest: 10 + 100 + 8 + 40 + 100 +
	 * 9 */
	assert_int_equal(find(&bounds, NULL, 108, 100), 0);
	assert_int_equal(bounds.burdened_ns, 267);
	bounds_free(&bounds);
	/* so long that 48 bits do not hold it: no more than they do */
	assert_int_equal(find(&bounds, NULL, 108, UINT64_C(1) << 48), 0);
	assert_int_equal(bounds.burdened_ns, (UINT64_C(1) << 48) - 1);
	bounds_free(&bounds);
}

/* From 10 to 50: main's second strand and third, 36 ns of the first task, 26 of the second. */
BUILT_TEST(test_selected)
{
	struct select select = { .part = true };
	struct bounds bounds;

	build(two_tasks);
	assert_int_equal(select_add(&select, 10, 50, 0), 0);
	assert_int_equal(find(&bounds, &select, 71, BOUNDS_MEASURE), 0);
	assert_int_equal(bounds.n_handovers, 1);
	assert_int_equal(bounds.span_ns, 36);
	/* main, 4 + 8, and the second task; main's resume is not selected, so its edge costs
	 * nothing */
	assert_int_equal(bounds.burdened_ns, 4 + 8 + 26);
	bounds_free(&bounds);
	assert_int_equal(select_add(&select, 60, 70, 0), 0);
	assert_int_equal(find(&bounds, &select, 75, BOUNDS_MEASURE), 0);
	assert_int_equal(bounds.span_ns, 8 + 26 + 4);
	bounds_free(&bounds);
	select_free(&select);
}

BUILT_TEST(test_collapsed)
{
	struct bounds bounds;

	build(collapsed);
	assert_int_equal(find(&bounds, NULL, 52, 3), 0);
	assert_int_equal(bounds.inside_ns, 20);
	assert_int_equal(bounds.span_ns, 39);
	assert_int_equal(bounds.burdened_ns, 42);
	assert_int_equal(bounds.burdened_most_ns, 42 + 2 * 2 * 3);
	assert_int_equal(bounds.n_enough, 2);
	/* 10 ns one strand, 8 with 1 + 30/25, 17 with 30/25, 4 with one */
	expect_point(&bounds, 1, 52 / (52 + 1.7 * 42), 1, 1);
	expect_point(&bounds, 2, 52 / (26 + 1.7 * 42), 52 / (10 + 8.8 + 17 + 4), 52 / 39.);
	expect_point(&bounds, 3, 52 / (52 / 3. + 1.7 * 42), 52 / 39., 52 / 39.);
	bounds_free(&bounds);
}

/* Nothing went from one worker to another: nobody knows what that costs. */
BUILT_TEST(test_unknown)
{
	struct bounds bounds;

	build(collapsed);
	assert_int_equal(find(&bounds, NULL, 52, BOUNDS_MEASURE), 0);
	assert_true(bounds.measured);
	assert_false(bounds.burden_known);
	assert_int_equal(bounds.n_handovers, 0);
	assert_int_equal(bounds.n_points, 4);
	expect_point(&bounds, 3, 0, 52 / 39., 52 / 39.);
	bounds_free(&bounds);
}
