/* SPDX-License-Identifier: MIT */
/* timeline_test.c - units become ns piece by piece, and a clock that jumps or drifts is found. */
#include "tools/trace/timeline.h"

#include "test/lib/test.h"
#include "test/unit/random.h"

#define MS UINT64_C(1000000)
#define S (1000 * MS)
#define PAIRS_MAX 64

typedef unsigned __int128 wide;

/* Pairs of both clocks, in the order of time; the first and the last are no snapshots. */
struct clock_run {
	struct defs_sync pair[PAIRS_MAX];
	uint32_t n;
};

static struct timeline timeline_of(struct clock_run *run)
{
	struct defs defs = { .first = run->pair[0],
			     .last = run->pair[run->n - 1],
			     .n_syncs = run->n,
			     .n_snapshots = run->n - 2,
			     .snapshot = &run->pair[1] };
	struct timeline timeline;

	assert_int_equal(timeline_build(&timeline, &defs), 0);
	return timeline;
}

static uint64_t ns_of(const struct timeline *timeline, uint64_t units, uint32_t near)
{
	return timeline_ns(&timeline->piece[timeline_find(timeline, units, near)], units);
}

/* After so many ns the clock went on by so many units. */
static void tick(struct clock_run *run, uint64_t ns, int64_t units)
{
	const struct defs_sync *last = &run->pair[run->n - 1];

	assert_true(run->n < PAIRS_MAX);
	run->pair[run->n++] =
		(struct defs_sync){ last->units + (uint64_t)units, last->ns + ns };
}

static struct clock_run begin_run(void)
{
	return (struct clock_run){ .pair = { { 1000 * S, 77 * S } }, .n = 1 };
}

/* As it is defined: the last pair whose units are not larger, and the line to the next. */
static uint64_t brute_ns(const struct clock_run *run, uint64_t units)
{
	uint32_t i = 0;

	if (units < run->pair[0].units)
		return 0;
	while (i + 2 < run->n && run->pair[i + 1].units <= units)
		i++;
	wide ns = run->pair[i + 1].ns - run->pair[i].ns;
	wide all = run->pair[i + 1].units - run->pair[i].units;

	return run->pair[i].ns - run->pair[0].ns +
	       (uint64_t)((units - run->pair[i].units) * ns / all);
}

/* Random rates and lengths: to 1 ns what brute force says, exactly that at the pairs, never back.
 */
TEST(test_brute_force)
{
	struct random random = { 5 };

	for (int round = 0; round < 3000; round++) {
		struct clock_run run = begin_run();
		uint32_t n = 2 + (uint32_t)random_below(&random, PAIRS_MAX - 2), near = 0;
		uint64_t units, last_ns = 0;

		while (run.n < n) {
			uint64_t ns =
				MS + random_below(&random, random_one_in(&random, 9) ? 900 * S : S);

			tick(&run, ns, (int64_t)(ns / 2 + 1 + random_below(&random, ns)));
		}
		struct timeline timeline = timeline_of(&run);

		assert_int_equal(timeline.n, n == 2 ? 1 : n);
		for (uint32_t i = 0; i < n; i++) {
			uint64_t ns = ns_of(&timeline, run.pair[i].units, near), want =
				run.pair[i].ns - run.pair[0].ns;

			assert_true(ns == want || (n == 2 && ns + 1 == want));
		}
		units = run.pair[0].units - 10;
		while (units < run.pair[n - 1].units) {
			near = timeline_find(&timeline, units, (uint32_t)random_below(&random, 70));
			uint64_t ns = ns_of(&timeline, units, near), want = brute_ns(&run, units);

			assert_true(ns == want || ns + 1 == want);
			assert_true(ns >= last_ns);
			last_ns = ns;
			units += random_below(&random, S);
		}
		assert_true(ns_of(&timeline, units + 10 * S, near) >= last_ns);
		timeline_free(&timeline);
	}
}

/* Without snapshots: the first and the last pair, and the same line after the last. */
TEST(test_one_piece)
{
	struct clock_run run = { .pair = { { 1000, 7 }, { 3000, 1007 } }, .n = 2 };
	struct timeline timeline = timeline_of(&run);

	assert_int_equal(timeline.n, 1);
	assert_int_equal(ns_of(&timeline, 999, 0), 0);
	assert_int_equal(ns_of(&timeline, 1001, 0), 0);
	assert_int_equal(ns_of(&timeline, 1003, 9), 1);
	assert_int_equal(ns_of(&timeline, 1000 + (UINT64_C(1) << 40), 0), UINT64_C(1) << 39);
	assert_true(timeline_fits(&timeline, UINT64_MAX));
	assert_int_equal(timeline.n_jumps + timeline.drift_ppm, 0);
	timeline_free(&timeline);
	run.pair[1] = (struct defs_sync){ 1010, 1007 };
	timeline = timeline_of(&run);
	assert_false(timeline_fits(&timeline, UINT64_MAX));
	timeline_free(&timeline);
}

/* Ten pieces of 1 s at 0.8 units a ns, whose fifth is as it is said; the noise is 50 ns a pair. */
static struct timeline with_fifth(uint64_t ns, int64_t units)
{
	struct clock_run run = begin_run();

	for (int i = 0; i < 10; i++) {
		int64_t noise = i % 2 ? 50 : -50;

		if (i == 5)
			tick(&run, ns, units);
		else
			tick(&run, S, 800 * (int64_t)MS + noise);
	}
	return timeline_of(&run);
}

static void check_jump(uint64_t ns, int64_t units, int64_t ahead_ns)
{
	struct timeline timeline = with_fifth(ns, units);

	assert_int_equal(timeline.n_jumps, 1);
	assert_true(llabs(timeline.jump_ns - ahead_ns) < 1000 + llabs(ahead_ns) / 1000000);
	assert_int_equal(timeline.jump_at_ns, 5 * S);
	assert_int_equal(timeline.jump_to_ns, 5 * S + ns);
	assert_true(timeline.drift_ppm <= 1);
	timeline_free(&timeline);
}

TEST(test_jumps)
{
	const int64_t right = 800 * (int64_t)MS;
	struct timeline timeline;

	check_jump(S, right + 8 * (int64_t)S, 10 * (int64_t)S); /* a migrated machine */
	check_jump(S, right + 8 * (int64_t)MS, 10 * (int64_t)MS);
	check_jump(S, right - 8 * (int64_t)MS, -10 * (int64_t)MS);
	check_jump(S, 100, -(int64_t)S);			 /* it stood still */
	check_jump(S, -80 * (int64_t)S, -101 * (int64_t)S); /* it was set back */
	check_jump(100 * S, -80 * (int64_t)S, -200 * (int64_t)S);
	check_jump(200 * MS, 160 * (int64_t)MS + 800 * 300, 300000);
	timeline = with_fifth(S, right); /* none of these is a jump: nothing happened; */
	assert_int_equal(timeline.n_jumps, 0);
	assert_true(timeline.drift_ppm <= 1);
	timeline_free(&timeline);
	timeline = with_fifth(1000 * S, 1000 * right); /* a long pause of both clocks; */
	assert_int_equal(timeline.n_jumps + timeline.drift_ppm, 0);
	timeline_free(&timeline);
	timeline = with_fifth(2 * MS, 2 * 800000 + 8000); /* a snapshot that was 10 us late; */
	assert_int_equal(timeline.n_jumps + timeline.drift_ppm, 0);
	timeline_free(&timeline);
	timeline = with_fifth(S, right + 400000); /* a rate that is 500 ppm off */
	assert_int_equal(timeline.n_jumps, 0);
	assert_in_range(timeline.drift_ppm, 498, 501);
	assert_in_range(timeline.drift_ns, 499000, 501000);
	timeline_free(&timeline);
}

/* A rate that changes in the middle of a second, and stays. */
TEST(test_drift)
{
	static const int64_t ppm[] = { 100, 300, 3000, 9000 };

	for (size_t k = 0; k < sizeof(ppm) / sizeof(ppm[0]); k++) {
		struct clock_run run = begin_run();

		for (int i = 0; i < 12; i++)
			tick(&run, S, (int64_t)S + (i < 7 ? 0 : i == 7 ? 400 : 1000) * ppm[k]);
		struct timeline timeline = timeline_of(&run);

		assert_int_equal(timeline.n_jumps, 0);
		assert_in_range(timeline.drift_ppm, ppm[k] * 98 / 100, ppm[k]);
		assert_in_range(timeline.drift_ns, 4300 * ppm[k], 4400 * ppm[k]);
		timeline_free(&timeline);
	}
}

/* It goes back, and passes where it was again: time never does. */
TEST(test_back_and_on)
{
	struct clock_run run = begin_run();

	tick(&run, S, (int64_t)S);
	tick(&run, S, -(int64_t)(3 * S));
	for (int i = 0; i < 8; i++)
		tick(&run, S, (int64_t)S);
	struct timeline timeline = timeline_of(&run);
	uint64_t last_ns = 0;

	assert_int_equal(timeline.n_jumps, 1);
	assert_true(llabs(timeline.jump_ns + 4 * (int64_t)S) < 1000);
	for (uint32_t i = 0; i + 1 < timeline.n; i++) {
		assert_true(timeline.piece[i].units < timeline.piece[i + 1].units);
		assert_true(timeline.piece[i].ns < timeline.piece[i + 1].ns);
	}
	for (uint64_t units = run.pair[0].units; units < run.pair[0].units + 7 * S; units += MS) {
		uint64_t ns = ns_of(&timeline, units, 0);

		assert_true(ns >= last_ns);
		last_ns = ns;
	}
	assert_int_equal(ns_of(&timeline, run.pair[run.n - 1].units, 0), 10 * S);
	timeline_free(&timeline);
}

/* The order of the lines does not matter; pairs that are too near, or outside, do not count. */
TEST(test_strange_pairs)
{
	struct defs_sync snapshot[] = { { 3 * S, 3 * S },      { 1 * S, 1 * S },
					{ 2 * S + 9, 2 * S },  { 2 * S + 7, 2 * S },
					{ 2 * S, 2 * S + 10 }, { 50 * S, 20 * S },
					{ 7, 4 * S - 10 } };
	struct defs defs = { .last = { 4 * S, 4 * S },
			     .n_syncs = 9,
			     .n_snapshots = sizeof(snapshot) / sizeof(snapshot[0]),
			     .snapshot = snapshot };
	struct timeline timeline;

	assert_int_equal(timeline_build(&timeline, &defs), 0);
	assert_int_equal(timeline.n, 5);
	assert_int_equal(timeline.n_jumps + timeline.drift_ppm, 0);
	assert_int_equal(ns_of(&timeline, 2 * S + 7, 0), 2 * S);
	timeline_free(&timeline);
	defs.last = (struct defs_sync){ 0 };
	assert_true(timeline_build(&timeline, &defs) < 0);
	defs = (struct defs){ .last = { 0, S } };
	assert_true(timeline_build(&timeline, &defs) < 0);
}
