/* SPDX-License-Identifier: MIT */
/* clock_cpus_test.c - whether CPUs are told apart whose counters differ. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "collector/session/clock.h"

#include <sched.h>

#include "test/lib/test.h"

static int other_cpu = -1; /* whose counter is ahead, .. */
static uint64_t ahead;	   /* .. by so many ticks */

static uint64_t ticks_here(void)
{
	return clock_ticks() + (sched_getcpu() == other_cpu ? ahead : 0);
}

#define clock_ticks ticks_here
#include "collector/session/clock_cpus.c" /* NOLINT: with counters of our own */
#undef clock_ticks

static cpu_set_t before;

static int begin(void **state)
{
	other_cpu = -1;
	return sched_getaffinity(0, sizeof(before), &before);
}

static int end(void **state)
{
	return sched_setaffinity(0, sizeof(before), &before);
}

static int last_cpu(void)
{
	int last = -1;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &before))
			last = cpu;
	return last;
}

/* All CPUs are visited if there are few, and errno is kept. */
TEST_WITH(test_visits, begin, end)
{
	struct clock_cpus cpus;

	errno = ENOTTY;
	cpus = clock_cpus_measure();
	assert_int_equal(errno, ENOTTY);
	assert_true(cpus.n > 0 && cpus.n <= CLOCK_CPUS_MOST);
	if (CPU_COUNT(&before) <= (int)CLOCK_CPUS_MOST)
		assert_int_equal(cpus.n, CPU_COUNT(&before));
}

/* A counter that is 1 ms ahead, or a second, or behind, is seen. */
TEST_WITH(test_differ, begin, end)
{
	const int64_t ticks[] = { 1 << 22, 1 << 30, -(1 << 22) };

	if (CPU_COUNT(&before) < 2)
		skip();
	for (unsigned i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		struct clock_cpus cpus;

		other_cpu = last_cpu();
		ahead = (uint64_t)ticks[i];
		cpus = clock_cpus_measure();
		assert_false(clock_cpus_agree(&cpus));
		assert_true(cpus.off_ns > 100000);
		sched_setaffinity(0, sizeof(before), &before);
	}
}

/* What is not known well enough is not trusted. */
TEST_WITH(test_verdict, begin, end)
{
	const struct clock_cpus none = { 0 }, one = { .n = 1 },
				close = { .n = 2, .off_ns = 40, .unsure_ns = 30 },
				apart = { .n = 2, .off_ns = 60, .unsure_ns = 30 },
				slow = { .n = 2, .unsure_ns = 500 };

	assert_true(clock_cpus_agree(&one) && clock_cpus_agree(&close));
	assert_false(clock_cpus_agree(&none) || clock_cpus_agree(&apart) ||
		     clock_cpus_agree(&slow));
}

TEST_WITH(test_choice, begin, end)
{
	uint32_t cpu[CLOCK_CPUS_MOST];
	struct mask mask = { { 0 } };

	assert_int_equal(choose_cpus(&mask, cpu), 0);
	mask.word[0] = 0x28; /* 3 and 5 */
	assert_int_equal(choose_cpus(&mask, cpu), 2);
	assert_true(cpu[0] == 3 && cpu[1] == 5);
	for (unsigned i = 0; i < 4; i++)
		mask.word[i] = ~0ul;
	assert_int_equal(choose_cpus(&mask, cpu), CLOCK_CPUS_MOST);
	assert_true(cpu[0] == 0 && cpu[CLOCK_CPUS_MOST - 1] == 255);
}
