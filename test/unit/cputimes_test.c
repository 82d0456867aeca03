/* SPDX-License-Identifier: MIT */
/* cputimes_test.c - what the collector's samples say of a worker whose threads come and leave. */
#include "collector/definitions/cputimes.h"

#include "test/lib/test.h"

/* A worker, its collector's samples, and what the kernel would say of its thread. */
struct scene {
	struct worker worker;
	struct cputimes times;
	struct cputimes_reading kernel;
};

static enum cputimes_source tell(void *arg, uint32_t thread, struct cputimes_reading *out)
{
	(void)thread;
	*out = *(struct cputimes_reading *)arg;
	return CPUTIMES_CLOCK;
}

/* A thread comes or leaves, and notes its sums; `thread` is 0 for one that leaves. */
static void note(struct scene *scene, uint32_t thread, bool has_wait, uint64_t base_wait_ns,
		 uint64_t wait_ns)
{
	static const struct clock clock = { .source = CLOCK_SOURCE_MONOTONIC };
	struct worker_cpu *cpu = &scene->worker.cpu;

	cpu->turns += 2;
	cpu->thread = thread;
	cpu->has_wait = has_wait;
	cpu->base.wait_ns = base_wait_ns;
	cpu->noted.wait_ns = wait_ns;
	cpu->noted_ticks = clock_ticks_by(&clock);
}

/* The last sample, once the thread has waited so long. */
static struct cputimes_sample look(struct scene *scene, uint64_t wait_ns)
{
	static const struct clock clock = { .source = CLOCK_SOURCE_MONOTONIC };

	scene->times.reader = tell;
	scene->times.arg = &scene->kernel;
	scene->kernel.wait_ns = wait_ns;
	cputimes_sample_worker(&scene->times, 0, &scene->worker, &clock);
	assert_true(scene->times.n > 0);
	return scene->times.sample[scene->times.n - 1];
}

/* One that read nothing when it came had waited 500 before its first sample, which is unknown. */
TEST(test_waits_from_the_first_sample_on)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	struct cputimes_sample sample;

	scene->kernel.has_wait = true;
	note(scene, 7, false, 0, 0);
	assert_int_equal(look(scene, 500).wait_ns, 0);
	assert_false(scene->times.sample[0].has_wait); /* when it came */
	assert_int_equal(look(scene, 530).wait_ns, 30);
	note(scene, 0, false, 0, 0);
	note(scene, 8, false, 0, 0); /* another: what that waited is no growth of the first's */
	assert_int_equal(look(scene, 9000).wait_ns, 30);
	sample = look(scene, 9002);
	assert_int_equal(sample.wait_ns, 32);
	assert_true(sample.has_wait);
	cputimes_free(&scene->times);
	free(scene);
}

/* What threads noted themselves goes on behind what the collector saw of one that did not. */
TEST(test_sums_go_on_behind_them)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	scene->kernel.has_wait = true;
	note(scene, 7, false, 0, 0);
	look(scene, 500);
	look(scene, 600);
	note(scene, 8, true, (uint64_t)-200, 0); /* it had waited 200 when it came */
	assert_int_equal(look(scene, 250).wait_ns, 150);
	note(scene, 0, true, (uint64_t)-200, 60);
	scene->kernel.has_wait = false;
	look(scene, 0);
	assert_int_equal(scene->times.sample[scene->times.n - 1].wait_ns, 160);
	cputimes_free(&scene->times);
	free(scene);
}

/* Where nobody can read waits, no sample has any. */
TEST(test_waits_that_nobody_reads)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	note(scene, 7, false, 0, 0);
	look(scene, 0);
	assert_false(look(scene, 0).has_wait);
	cputimes_free(&scene->times);
	free(scene);
}
