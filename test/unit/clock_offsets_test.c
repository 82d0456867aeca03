/* SPDX-License-Identifier: MIT */
/* clock_offsets_test.c - counters that differ from CPU to CPU, all of the test's own making. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "collector/session/clock.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define CPUS 40u
#define TICKS_A_NS 3u
#define READING_NS 10u
#define PLACE_NS 3000u /* to move to another CPU */

/* A machine of one thread.  Time passes by what is done. */
static struct {
	uint64_t ns;
	uint32_t cpu;
	int64_t ahead[CPUS];	 /* ticks, by CPU; .. */
	int64_t drift_ppm[CPUS]; /* .. and growing so fast */
	bool offline[CPUS], allowed[CPUS];
	bool is_unregistered;
	uint32_t monotonic_ns;	      /* that reading the kernel's clock takes */
	uint32_t n_moves, moves_each; /* it is moved to the next CPU at every so many readings; 0 */
	uint32_t n_kernel;	      /* readings of the kernel's clock */
	cpu_set_t mask;
} fake;

static uint64_t counter(void)
{
	fake.ns += READING_NS;
	return (uint64_t)((int64_t)(fake.ns * TICKS_A_NS) + fake.ahead[fake.cpu] +
			  (int64_t)fake.ns * (int64_t)TICKS_A_NS * fake.drift_ppm[fake.cpu] /
				  1000000);
}

static int get_time(clockid_t clock, struct timespec *now)
{
	uint64_t ns;

	(void)clock;
	fake.n_kernel++;
	fake.ns += fake.monotonic_ns;
	ns = fake.ns - fake.monotonic_ns / 2;
	*now = (struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
	return 0;
}

static int get_mask(pid_t thread, size_t bytes, cpu_set_t *mask)
{
	(void)thread;
	(void)bytes;
	CPU_ZERO(mask);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		if (fake.allowed[cpu])
			CPU_SET(cpu, mask);
	return 0;
}

static int set_mask(pid_t thread, size_t bytes, const cpu_set_t *mask)
{
	(void)thread;
	(void)bytes;
	fake.ns += PLACE_NS;
	errno = EINVAL;
	memcpy(&fake.mask, mask, sizeof(fake.mask));
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		if (CPU_ISSET(cpu, mask) && !fake.offline[cpu]) {
			fake.cpu = cpu;
			return 0;
		}
	return -1;
}

static void wait_word(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
	(void)word;
	(void)value;
	fake.ns += timeout_ns;
}

/* The thread may be moved right after: then it begins on another CPU. */
static bool restart_ticks(uint32_t *cpu, uint64_t *ticks)
{
	if (fake.moves_each && ++fake.n_moves % fake.moves_each == 0)
		fake.cpu = (fake.cpu + 1) % CPUS;
	*cpu = fake.is_unregistered ? UINT32_MAX : fake.cpu;
	*ticks = counter();
	return true;
}

static inline bool restart_on(void)
{
	return true;
}

#define RESTART
#define clock_ticks counter
#define clock_gettime get_time
#define sched_getaffinity get_mask
#define sched_setaffinity set_mask
#define futex_wait wait_word
#include "collector/session/clock.c"	   /* NOLINT */
#include "collector/session/clock_cpus.c"	   /* NOLINT */
#include "collector/session/clock_offsets.c" /* NOLINT */

static struct clock session_clock;

static bool measure_offsets(void)
{
	static _Alignas(64) char room[CLOCK_OFFSETS_BYTES];

	memset(room, 0, sizeof(room));
	return clock_offsets_measure(&session_clock, room);
}

/* CPUs 0 .. n - 1 are allowed, and ahead by what differs. */
static void begin(uint32_t n)
{
	memset(&fake, 0, sizeof(fake));
	memset(&session_clock, 0, sizeof(session_clock));
	session_clock.source = CLOCK_SOURCE_TSC_BY_CPU;
	fake.ns = 5000000000;
	fake.monotonic_ns = 50;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		fake.allowed[cpu] = cpu < n;
		fake.ahead[cpu] = (int64_t)cpu * cpu * 1000003 - 7000000;
	}
}

/* By how much a reading differs from what CPU 0 would say. */
static uint64_t off_ns(void)
{
	uint64_t ticks = clock_ticks_by(&session_clock);
	int64_t off = (int64_t)(ticks - (fake.ns * TICKS_A_NS + (uint64_t)fake.ahead[0]));

	return (uint64_t)llabs(off) / TICKS_A_NS;
}

/* Offsets of any size are found, and readings are right on whatever CPU. */
static void test_constant(void **state)
{
	(void)state;
	begin(CPUS);
	errno = ENOTTY;
	assert_true(measure_offsets());
	assert_int_equal(errno, ENOTTY);
	fake.n_kernel = 0;
	for (uint32_t round = 0; round < 1000; round++) {
		fake.cpu = round * 7 % CPUS;
		fake.ns += 1000003;
		assert_in_range(off_ns(), 0, 60);
	}
	assert_int_equal(fake.n_kernel, 0);
}

/* The thread is moved in the middle of readings: none is wrong, none is earlier than the last. */
static void test_moved_thread(void **state)
{
	uint64_t last = 0, now;

	(void)state;
	begin(CPUS);
	assert_true(measure_offsets());
	for (uint32_t each = 1; each < 5; each++) {
		fake.moves_each = each;
		for (uint32_t i = 0; i < 1000; i++) {
			fake.ns += 100;
			now = clock_ticks_by(&session_clock);
			assert_true(now > last);
			last = now;
			assert_in_range(off_ns(), 0, 60);
		}
	}
}

/* Offsets that move are refused, and so are those that nobody can know. */
static void test_refused(void **state)
{
	(void)state;
	begin(4);
	fake.drift_ppm[2] = 300; /* 900 ns in 3 ms */
	assert_false(measure_offsets());
	for (uint32_t cpu = 0; cpu < CLOCK_TABLE; cpu++)
		assert_int_equal(session_clock.behind[cpu], 0);
	begin(4);
	fake.monotonic_ns = 1500;
	assert_false(measure_offsets());
	begin(0);
	assert_false(measure_offsets());
	begin(4);
	fake.offline[0] = fake.offline[1] = fake.offline[2] = fake.offline[3] = true;
	assert_false(measure_offsets());
}

/* On a CPU that was offline, or that the program could not use, readings are right, too. */
static void test_unknown(void **state)
{
	(void)state;
	begin(4);
	fake.offline[2] = true;
	assert_true(measure_offsets());
	for (uint32_t round = 0; round < 100; round++) {
		fake.cpu = 0;
		fake.ns += 200000000;
		clock_note(&session_clock, clock_pair(&session_clock));
		for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
			uint32_t n = fake.n_kernel;

			fake.cpu = cpu;
			fake.ns += 1000;
			assert_in_range(off_ns(), 0, 200);
			assert_int_equal(fake.n_kernel - n, cpu == 2 || cpu > 3);
		}
	}
	fake.cpu = 0;
	fake.is_unregistered = true; /* a thread that libc did not make */
	assert_in_range(off_ns(), 0, 200);
}

/* A note that is made on such a CPU would only repeat the line. */
static void test_note(void **state)
{
	uint32_t n;

	(void)state;
	begin(4);
	assert_true(measure_offsets());
	n = session_clock.n_lines;
	fake.cpu = 20;
	clock_note(&session_clock, clock_pair(&session_clock));
	assert_int_equal(session_clock.n_lines, n);
	fake.cpu = 3;
	clock_note(&session_clock, clock_pair(&session_clock));
	assert_int_equal(session_clock.n_lines, n + 1);
}

/* Looked at again: while all stay nothing changes; who moves is not known any more, and told. */
static void test_check(void **state)
{
	uint32_t next = 0;

	(void)state;
	begin(30);
	assert_true(measure_offsets());
	for (uint32_t i = 0; i < 50; i++) {
		fake.ns += 1000000000;
		clock_offsets_check(&session_clock, &next);
		for (uint32_t cpu = 0; cpu < CPUS; cpu++)
			assert_int_equal(CPU_ISSET(cpu, &fake.mask) != 0, fake.allowed[cpu]);
	}
	assert_int_equal(session_clock.moved_ns, 0);
	fake.cpu = 0;
	clock_note(&session_clock, clock_pair(&session_clock));
	fake.ahead[17] += 3000 * (int64_t)TICKS_A_NS;
	for (uint32_t i = 0; i < 5; i++) {
		fake.ns += 1000000000;
		clock_offsets_check(&session_clock, &next);
	}
	assert_in_range(session_clock.moved_ns, 2700, 3100);
	for (uint32_t cpu = 0; cpu < 30; cpu++)
		assert_int_equal(session_clock.behind[cpu] == 0, cpu == 17);
	fake.cpu = 0;
	clock_note(&session_clock, clock_pair(&session_clock));
	fake.cpu = 17;
	assert_in_range(off_ns(), 0, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constant), cmocka_unit_test(test_moved_thread),
		cmocka_unit_test(test_refused),	 cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_note),	 cmocka_unit_test(test_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
