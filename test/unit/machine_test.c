/* SPDX-License-Identifier: MIT */
/* machine_test.c - samples of CPU times: what is certain between them, and what is corrected. */
#include "tools/analysis/machine.h"

#include <stdlib.h>

#include "test/lib/test.h"

#define MS UINT64_C(1000000)

static void add(struct machine *machine, uint32_t worker, int64_t ms, uint64_t run_ms,
		uint64_t wait_ms)
{
	struct machine_sample sample = { .ns = ms * (int64_t)MS,
					 .run_ns = run_ms * MS,
					 .wait_ns = wait_ms * MS,
					 .has_wait = true };

	assert_int_equal(machine_add(machine, worker, sample), 0);
}

static void check(uint64_t ns, uint64_t want_ms)
{
	assert_int_equal(ns, want_ms * MS);
}

static struct machine_use use_of(const struct machine *machine, uint32_t worker, uint64_t from_ms,
				 uint64_t to_ms)
{
	return machine_use(machine, worker, from_ms * MS, to_ms * MS);
}

/* Half of 100 ms on a CPU, 30 in wait of one. */
TEST(test_between)
{
	struct machine machine = { 0 };
	struct machine_use use;

	add(&machine, 1, -50, 10, 0);
	add(&machine, 1, 50, 60, 30);
	add(&machine, 1, 1000, 61, 30);
	machine_settle(&machine);
	use = use_of(&machine, 1, 0, 50);
	check(use.known_ns, 50);
	check(use.run_ns, 25);
	check(use.run_least_ns, 0);
	check(use.run_most_ns, 50);
	check(use.wait_ns, 15);
	check(use.wait_most_ns, 30);
	machine.lane[1].n = 2;
	use = use_of(&machine, 1, 0, 80); /* 30 ms of it behind the last sample */
	check(use.known_ns, 50);
	check(use.run_ns, 25);
	check(use.run_most_ns, 80);
	check(use.wait_most_ns, 60);
	assert_int_equal(machine_doing(&use), MACHINE_UNKNOWN);
	use = use_of(&machine, 0, 0, 80); /* no sample */
	check(use.known_ns, 0);
	check(use.run_most_ns, 80);
	assert_false(use.has_wait);
	use = use_of(&machine, 7, 0, 80);
	check(use.run_most_ns, 80);
	machine_free(&machine);
}

/* No more of a part of the time between two samples than fits into it. */
TEST(test_part)
{
	struct machine machine = { 0 };
	struct machine_use use;

	add(&machine, 0, 0, 0, 0);
	add(&machine, 0, 100, 60, 40);
	add(&machine, 0, 200, 60, 40);
	add(&machine, 0, 300, 61, 40);
	machine_settle(&machine);
	use = use_of(&machine, 0, 90, 200);
	check(use.run_ns, 6);
	check(use.run_least_ns, 0);
	check(use.run_most_ns, 10);
	check(use.wait_ns, 4);
	check(use.wait_most_ns, 10);
	use = use_of(&machine, 0, 10, 150);
	check(use.run_least_ns, 50);
	check(use.run_most_ns, 60);
	check(use.wait_least_ns, 30);
	check(use.wait_most_ns, 40);
	machine_free(&machine);
}

/* The kernel told of 20 ms and 25 too late. */
TEST(test_lag)
{
	struct machine machine = { .lag_ns = 10 * MS };
	struct machine_use use;

	add(&machine, 0, 200, 100, 100);
	add(&machine, 0, 100, 20, 35);
	add(&machine, 0, 0, 0, 0);
	machine_settle(&machine);
	use = use_of(&machine, 0, 0, 100);
	check(use.run_ns, 20);
	check(use.wait_ns, 80);
	check(use.run_least_ns, 10);
	check(use.run_most_ns, 30);
	use = use_of(&machine, 0, 100, 200);
	check(use.run_ns, 80);
	check(use.wait_ns, 20);
	use = use_of(&machine, 0, 0, 200);
	check(use.run_ns + use.wait_ns, 200);
	machine_free(&machine);
}

/* A wait is counted when it ends: until the thread is seen to go on, it may wait and not sleep. */
TEST(test_counted)
{
	struct machine machine = { 0 };
	struct machine_use use;

	add(&machine, 0, 0, 0, 0);
	add(&machine, 0, 100, 20, 30);
	add(&machine, 0, 200, 20, 30);
	add(&machine, 0, 300, 20, 30);
	machine_settle(&machine);
	use = use_of(&machine, 0, 0, 300);
	check(use.away_ns, 0);
	check(use.wait_ns, 30);
	check(use.wait_most_ns, 80 + 100 + 100);
	add(&machine, 0, 400, 90, 30); /* it goes on */
	machine_settle(&machine);
	use = use_of(&machine, 0, 0, 400);
	check(use.away_ns, 50 + 100 + 100);
	check(use.wait_most_ns, 30 + 30);
	machine.lane[0].sample[4].has_wait = false; /* it does, but nobody knows its wait */
	machine_settle(&machine);
	use = use_of(&machine, 0, 0, 300);
	check(use.away_ns, 0);
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

		assert_int_equal(machine_add(&machine, 0, sample), 0);
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
