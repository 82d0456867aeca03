/* SPDX-License-Identifier: MIT */
/* clock_samples_test.c - which pairs of the clocks the collector keeps: few, and those around a
 * step. */
#include "collector/definitions/clock_samples.h"

#include "test/lib/test.h"

#include "tools/trace/timeline.h"
#include "test/unit/random.h"

#define MS UINT64_C(1000000)
#define S (1000 * MS)
#define ROUND (200 * MS)
#define RATE 2.5 /* ticks a ns */
#define SHIFT 1

/* A clock that goes by itself: looks are a round apart, and a little late. */
struct scene {
	struct random random;
	struct clock_samples clock_samples;
	struct clock_pair begin, now;
	double rate;
};

static struct scene begin_scene(void)
{
	const struct clock_pair begin = { 900 * S, 70 * S };

	return (struct scene){ .random = { 3 }, .begin = begin, .now = begin, .rate = RATE };
}

/* So many ns pass, and somebody looks at the clocks; they are read up to 100 ns apart. */
static void look_after(struct scene *scene, uint64_t ns)
{
	struct clock_pair seen;

	scene->now.ns += ns;
	scene->now.ticks += (uint64_t)((double)ns * scene->rate);
	seen = scene->now;
	seen.ticks += random_below(&scene->random, 250);
	clock_samples_add(&scene->clock_samples, CLOCK_SOURCE_TSC, scene->begin, seen);
}

static void rounds(struct scene *scene, uint32_t n)
{
	while (n--)
		look_after(scene, ROUND + random_below(&scene->random, MS));
}

/* The reader's timeline of a trace that ends now. */
static struct timeline timeline_of(struct scene *scene)
{
	struct timeline timeline;
	struct defs defs = { .first = { scene->begin.ticks >> SHIFT, scene->begin.ns },
			     .last = { scene->now.ticks >> SHIFT, scene->now.ns } };
	struct lines lines = { 0 };
	char line[100];

	clock_samples_put(&scene->clock_samples, SHIFT, &lines);
	defs.snapshot = calloc(scene->clock_samples.n + 1, sizeof(*defs.snapshot));
	for (char *at = lines.text; sscanf(at, "sync %99[^\n]", line) == 1;
	     at = strchr(at, '\n') + 1) {
		struct defs_sync *sync = &defs.snapshot[defs.n_snapshots++];
		char word[20];

		assert_int_equal(sscanf(line, "%lu %lu %19s", &sync->units, &sync->ns, word), 3);
		assert_string_equal(word, "snapshot");
	}
	assert_int_equal(defs.n_snapshots, scene->clock_samples.n);
	assert_int_equal(timeline_build(&timeline, &defs), 0);
	free(lines.text);
	free(defs.snapshot);
	return timeline;
}

/* One a second; after an hour and after a month there are few, and no fault was seen. */
TEST(test_sparse)
{
	struct scene scene = begin_scene();
	struct timeline timeline;

	rounds(&scene, 50);
	assert_in_range(scene.clock_samples.n, 8, 10);
	rounds(&scene, 5 * 3600);
	assert_in_range(scene.clock_samples.n, 1500, 2400);
	for (int i = 0; i < 30 * 86400; i++)
		look_after(&scene, S);
	assert_in_range(scene.clock_samples.n, 8000, 13000);
	timeline = timeline_of(&scene);
	assert_int_equal(timeline.n_jumps, 0);
	assert_true(timeline.drift_ppm <= 2);
	timeline_free(&timeline);
	clock_samples_free(&scene.clock_samples);
}

/* Looks at any moment, also after the collector was stopped for long. */
TEST(test_no_step)
{
	struct scene scene = begin_scene();

	for (int i = 0; i < 3000; i++)
		look_after(&scene, random_one_in(&scene.random, 100) ? 5 * S
				   : random_one_in(&scene.random, 2)
					   ? random_below(&scene.random, MS)
					   : ROUND);
	uint32_t n = scene.clock_samples.n;
	struct timeline timeline = timeline_of(&scene);

	assert_int_equal(timeline.n_jumps + timeline.drift_ppm, 0);
	assert_true(n < 500);
	timeline_free(&timeline);
	clock_samples_free(&scene.clock_samples);
}

static void check_step(int64_t step_ns, uint64_t ns)
{
	struct scene scene = begin_scene();

	rounds(&scene, 33);
	uint64_t before = scene.now.ns - scene.begin.ns;

	scene.now.ticks += (uint64_t)(int64_t)((double)step_ns * RATE);
	look_after(&scene, ns);
	uint64_t after = scene.now.ns - scene.begin.ns;

	rounds(&scene, 33);
	if (step_ns < -(int64_t)ns)
		scene.now.ticks += 100 * S; /* the last pair is to be one of use */
	struct timeline timeline = timeline_of(&scene);

	assert_true(timeline.n_jumps >= 1);
	assert_int_equal(scene.clock_samples.went_back, step_ns < -(int64_t)ns);
	if (!scene.clock_samples.went_back) {
		assert_int_equal(timeline.n_jumps, 1);
		assert_true(llabs(timeline.jump_ns - step_ns) < 1000);
		assert_int_equal(timeline.jump_at_ns, before);
		assert_int_equal(timeline.jump_to_ns, after);
	}
	timeline_free(&timeline);
	clock_samples_free(&scene.clock_samples);
}

TEST(test_steps)
{
	check_step(2 * (int64_t)MS, ROUND);
	check_step(-2 * (int64_t)MS, ROUND);
	check_step(300 * (int64_t)S, ROUND);
	check_step(300 * (int64_t)S, 60 * S);
	check_step(-20 * (int64_t)S, ROUND);
}

/* A clock that goes on at another rate is no step a round for ever. */
TEST(test_another_rate)
{
	struct scene scene = begin_scene();

	rounds(&scene, 100);
	scene.rate *= 1.003;
	rounds(&scene, 500);
	assert_in_range(scene.clock_samples.n, 100, 130);
	assert_true(clock_samples_rate(&scene.clock_samples, scene.begin, scene.now) >
		    1.0029 * RATE);
	struct timeline timeline = timeline_of(&scene);

	assert_true(timeline.n_jumps <= 1);
	assert_in_range(timeline.drift_ppm, 2980, 3010);
	timeline_free(&timeline);
	clock_samples_free(&scene.clock_samples);
}

/* One clock is no two. */
TEST(test_monotonic)
{
	struct clock_samples samples = { 0 };
	struct clock_pair now = { 5 * S, 5 * S };

	for (int i = 0; i < 100; i++, now.ticks += S, now.ns += S)
		clock_samples_add(&samples, CLOCK_SOURCE_MONOTONIC, (struct clock_pair){ S, S },
				  now);
	assert_int_equal(samples.n, 0);
	clock_samples_free(&samples);
}
