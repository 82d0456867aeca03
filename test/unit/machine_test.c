/* SPDX-License-Identifier: MIT */
/* machine_test.c - samples of CPU times: what is certain between them, and what is corrected. */
#include "tools/analysis/machine.h"

#include "test/lib/test.h"

#define MS UINT64_C(1000000)

static void add(struct machine *machine, uint32_t worker, int64_t ms, uint64_t run_ms,
		uint64_t wait_ms)
{
	struct machine_sample sample = { .ns = ms * (int64_t)MS,
					 .run_ns = run_ms * MS,
					 .wait_ns = wait_ms * MS,
					 .has_wait = true };

	machine_add(machine, worker, sample);
}

/* "ms run wait, .." of a worker, in ms. */
static void add_all(struct machine *machine, uint32_t worker, const char *samples)
{
	unsigned run_ms, wait_ms;
	int ms, n;

	for (; sscanf(samples, "%d %u %u%n", &ms, &run_ms, &wait_ms, &n) == 3; samples += n)
		if (add(machine, worker, ms, run_ms, wait_ms), samples[n] == ',')
			samples++;
	machine_settle(machine);
}

static struct machine_use use_of(const struct machine *machine, uint32_t worker, uint64_t from_ms,
				 uint64_t to_ms)
{
	return machine_use(machine, worker, from_ms * MS, to_ms * MS);
}

/* "figure ms, ..": all that are named are that, of a worker in that time. */
static struct machine_use check(const struct machine *machine, uint32_t worker, uint64_t from_ms,
				uint64_t to_ms, const char *figures)
{
	const struct machine_use use = use_of(machine, worker, from_ms, to_ms);
	const struct {
		const char *name;
		uint64_t ns;
	} known[] = { { "known", use.known_ns },
		      { "run", use.run_ns },
		      { "run_least", use.run_least_ns },
		      { "run_most", use.run_most_ns },
		      { "wait", use.wait_ns },
		      { "wait_least", use.wait_least_ns },
		      { "wait_most", use.wait_most_ns },
		      { "away", use.away_ns } };
	char name[16];
	unsigned ms;
	size_t i;
	int n;

	while (sscanf(figures, " %15[a-z_] %u%n", name, &ms, &n) == 2) {
		for (i = 0; strcmp(known[i].name, name) != 0; i++)
			assert_in_range(i, 0, sizeof(known) / sizeof(known[0]) - 2);
		assert_int_equal(known[i].ns, ms * MS);
		figures += n;
		figures += *figures == ',';
	}
	assert_string_equal(figures, "");
	return use;
}

/* Half of 100 ms on a CPU, 30 in wait of one. */
TEST(test_between)
{
	struct machine machine = { 0 };
	struct machine_use use;

	add_all(&machine, 1, "-50 10 0, 50 60 30, 1000 61 30");
	check(&machine, 1, 0, 50,
	      "known 50, run 25, run_least 0, run_most 50, wait 15, wait_most 30");
	machine.lane[1].n = 2;
	use = check(&machine, 1, 0, 80,
	      "known 50, run 25, run_most 80, wait_most 60"); /* 30 ms behind the last sample */
	assert_int_equal(machine_doing(&use), MACHINE_UNKNOWN);
	use = check(&machine, 0, 0, 80, "known 0, run_most 80"); /* no sample */
	assert_false(use.has_wait);
	check(&machine, 7, 0, 80, "run_most 80");
	machine_free(&machine);
}

/* No more of a part of the time between two samples than fits into it. */
TEST(test_part)
{
	struct machine machine = { 0 };

	add_all(&machine, 0, "0 0 0, 100 60 40, 200 60 40, 300 61 40");
	check(&machine, 0, 90, 200, "run 6, run_least 0, run_most 10, wait 4, wait_most 10");
	check(&machine, 0, 10, 150, "run_least 50, run_most 60, wait_least 30, wait_most 40");
	machine_free(&machine);
}

/* The kernel told of 20 ms and 25 too late. */
TEST(test_lag)
{
	struct machine machine = { .lag_ns = 10 * MS };
	struct machine_use use;

	add_all(&machine, 0, "200 100 100, 100 20 35, 0 0 0");
	check(&machine, 0, 0, 100, "run 20, wait 80, run_least 10, run_most 30");
	check(&machine, 0, 100, 200, "run 80, wait 20");
	use = use_of(&machine, 0, 0, 200);
	assert_int_equal(use.run_ns + use.wait_ns, 200 * MS);
	machine_free(&machine);
}

/* A wait is counted when it ends: until the thread is seen to go on, it may wait and not sleep. */
TEST(test_counted)
{
	struct machine machine = { 0 };

	add_all(&machine, 0, "0 0 0, 100 20 30, 200 20 30, 300 20 30");
	check(&machine, 0, 0, 300, "away 0, wait 30, wait_most 280");
	add_all(&machine, 0, "400 90 30");
	check(&machine, 0, 0, 400, "away 250, wait_most 60");
	machine.lane[0].sample[4].has_wait = false; /* it does, but nobody knows its wait */
	machine_settle(&machine);
	check(&machine, 0, 0, 300, "away 0");
	machine_free(&machine);
}

static enum machine_doing doing(uint64_t run_ms, uint64_t wait_ms, bool has_wait)
{
	struct machine machine = { 0 };
	struct machine_use use;

	add(&machine, 0, 0, 5, 7);
	add(&machine, 0, 100, 5 + run_ms, 7 + wait_ms);
	add(&machine, 0, 200, 106 + run_ms, 7 + wait_ms);
	machine.lane[0].sample[1].has_wait = machine.lane[0].sample[2].has_wait = has_wait;
	machine_settle(&machine);
	use = use_of(&machine, 0, 0, 100);
	machine_free(&machine);
	return machine_doing(&use);
}

TEST(test_doing)
{
	assert_int_equal(doing(75, 25, true), MACHINE_COMPUTES);
	assert_int_equal(doing(100, 0, false), MACHINE_COMPUTES);
	assert_int_equal(doing(40, 55, true), MACHINE_WAITS);
	assert_int_equal(doing(10, 30, true), MACHINE_BLOCKS);
	assert_int_equal(doing(10, 0, false), MACHINE_AWAY);
	assert_int_equal(doing(30, 40, true), MACHINE_AWAY);
	assert_int_equal(doing(60, 20, true), MACHINE_MIXED);
}

/* Sums that decrease, that are too large, and all at one instant. */
TEST(test_nonsense)
{
	struct machine machine = { .lag_ns = 10 * MS };

	for (int64_t i = 0; i < 100; i++) {
		struct machine_sample sample = { .ns = i % 3 ? (i * 7919) % 1000 : INT64_MAX / 2,
						 .run_ns = i % 5 ? (uint64_t)(i * 6007) % 2000
								 : UINT64_MAX,
						 .wait_ns = UINT64_MAX / (uint64_t)(i + 1),
						 .has_wait = i % 4 != 0 };

		machine_add(&machine, 0, sample);
	}
	machine_settle(&machine);
	for (uint64_t from = 0; from < 1000; from += 37)
		for (uint64_t to = from; to < 2000; to += 61) {
			struct machine_use use = machine_use(&machine, 0, from, to);

			assert_int_equal(use.ns, to - from);
			assert_true(use.known_ns <= use.ns);
			assert_true(use.run_least_ns <= use.run_ns);
			assert_true(use.run_ns <= use.run_most_ns);
			assert_true(use.run_most_ns <= use.ns);
			assert_true(use.wait_least_ns <= use.wait_most_ns);
			assert_true(use.wait_most_ns <= use.ns);
			assert_true(use.run_ns + use.wait_ns <= use.ns);
			assert_true(use.run_least_ns + use.wait_least_ns <= use.ns);
		}
	machine_free(&machine);
}
