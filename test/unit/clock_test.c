/* SPDX-License-Identifier: MIT */
/* clock_test.c - the recorder's clocks never step back, and agree with CLOCK_MONOTONIC. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_setaffinity_np() */
#endif
#include "collector/session/clock.c" /* NOLINT: libtptrace.so hides what is in it */

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/time.h>

#include <cmocka.h>

#define PAUSE_NS 50000000
#define TRIES 5

static const struct clock portable = { .source = CLOCK_SOURCE_MONOTONIC };

/* This machine's. */
static const struct clock *here(void)
{
	static struct clock clock;

	clock.source = clock_probe(CLOCK_WISH_NONE, NULL);
	return &clock;
}

static void test_probe(void **state)
{
	enum clock_source source = clock_probe(CLOCK_WISH_NONE, NULL);

	(void)state;
	assert_int_equal(clock_probe(CLOCK_WISH_NONE, NULL), source);
	assert_string_equal(clock_source_name(CLOCK_SOURCE_TSC), "tsc");
	assert_string_equal(clock_source_name(CLOCK_SOURCE_CNTVCT), "cntvct");
	assert_string_equal(clock_source_name(CLOCK_SOURCE_MONOTONIC), "monotonic");
	print_message("[ the clock is %s ]\n", clock_source_name(source));
#if defined(__x86_64__)
	assert_true(source != CLOCK_SOURCE_CNTVCT);
#elif defined(__aarch64__)
	assert_int_equal(source, CLOCK_SOURCE_CNTVCT);
#endif
}

static uint32_t n_agree, n_stay; /* how often it was asked */
static bool they_agree, they_stay;

static bool agree(void)
{
	n_agree++;
	return they_agree;
}

static bool stay(void)
{
	n_stay++;
	return they_stay;
}

/* What is to be chosen by a machine; and whether CPUs are compared, and offsets measured, which
 * takes time. */
struct choice {
	struct machine machine;
	enum clock_wish wish;
	bool agrees, stays;
	enum clock_source source;
	uint32_t n_agree, n_stay;
};

#define INVARIANT .tsc_is_invariant = true
#define LISTED .kernel_knows_tsc = true
#define VOUCHED .is_vouched_for = true
#define VIRTUAL .is_virtual = true
#define BY_TSC .kernel_has_tsc = true, LISTED, VOUCHED
#define TELLS .tells_cpu = true

static const struct choice choices[] = {
	/* the kernel's own, or what is asked for: nothing is compared */
	{ { INVARIANT, BY_TSC }, CLOCK_WISH_NONE, false, false, CLOCK_SOURCE_TSC, 0, 0 },
	{ { INVARIANT, BY_TSC, VIRTUAL, TELLS },
	  CLOCK_WISH_NONE,
	  false,
	  true,
	  CLOCK_SOURCE_TSC,
	  0,
	  0 },
	{ { INVARIANT, BY_TSC }, CLOCK_WISH_MONOTONIC, true, true, CLOCK_SOURCE_MONOTONIC, 0, 0 },
	{ { INVARIANT, LISTED }, CLOCK_WISH_TSC, false, false, CLOCK_SOURCE_TSC, 0, 0 },
	{ { INVARIANT, VIRTUAL }, CLOCK_WISH_TSC, false, false, CLOCK_SOURCE_TSC, 0, 0 },
	{ { LISTED, VOUCHED }, CLOCK_WISH_TSC, true, true, CLOCK_SOURCE_MONOTONIC, 0, 0 },
	{ { LISTED, VOUCHED, TELLS }, CLOCK_WISH_NONE, true, true, CLOCK_SOURCE_MONOTONIC, 0, 0 },
	/* the kernel lists it, or the host vouches for it: if the CPUs agree */
	{ { INVARIANT, LISTED, VIRTUAL }, CLOCK_WISH_NONE, true, true, CLOCK_SOURCE_TSC, 1, 0 },
	{ { INVARIANT, LISTED, VIRTUAL },
	  CLOCK_WISH_NONE,
	  false,
	  true,
	  CLOCK_SOURCE_MONOTONIC,
	  1,
	  0 },
	{ { INVARIANT, VOUCHED, VIRTUAL }, CLOCK_WISH_NONE, true, true, CLOCK_SOURCE_TSC, 1, 0 },
	{ { INVARIANT, VOUCHED, VIRTUAL },
	  CLOCK_WISH_NONE,
	  false,
	  true,
	  CLOCK_SOURCE_MONOTONIC,
	  1,
	  0 },
	{ { INVARIANT, VOUCHED, VIRTUAL, TELLS },
	  CLOCK_WISH_NONE,
	  false,
	  true,
	  CLOCK_SOURCE_TSC_BY_CPU,
	  1,
	  1 },
	{ { INVARIANT, VOUCHED, VIRTUAL },
	  CLOCK_WISH_MONOTONIC,
	  true,
	  true,
	  CLOCK_SOURCE_MONOTONIC,
	  0,
	  0 },
	/* nobody does: offsets, but of a virtual machine never */
	{ { INVARIANT, VIRTUAL }, CLOCK_WISH_NONE, true, true, CLOCK_SOURCE_MONOTONIC, 0, 0 },
	{ { INVARIANT, VIRTUAL, TELLS },
	  CLOCK_WISH_NONE,
	  true,
	  true,
	  CLOCK_SOURCE_MONOTONIC,
	  0,
	  0 },
	{ { INVARIANT }, CLOCK_WISH_NONE, true, true, CLOCK_SOURCE_MONOTONIC, 0, 0 },
	{ { INVARIANT, TELLS }, CLOCK_WISH_NONE, true, true, CLOCK_SOURCE_TSC_BY_CPU, 0, 1 },
	{ { INVARIANT, TELLS }, CLOCK_WISH_NONE, true, false, CLOCK_SOURCE_MONOTONIC, 0, 1 },
	{ { INVARIANT, LISTED, VIRTUAL, TELLS },
	  CLOCK_WISH_NONE,
	  false,
	  true,
	  CLOCK_SOURCE_TSC_BY_CPU,
	  1,
	  1 },
	/* offsets are asked for */
	{ { INVARIANT, VIRTUAL, TELLS },
	  CLOCK_WISH_TSC_BY_CPU,
	  true,
	  true,
	  CLOCK_SOURCE_TSC_BY_CPU,
	  0,
	  1 },
	{ { INVARIANT, BY_TSC, TELLS },
	  CLOCK_WISH_TSC_BY_CPU,
	  true,
	  true,
	  CLOCK_SOURCE_TSC_BY_CPU,
	  0,
	  1 },
	{ { INVARIANT, BY_TSC }, CLOCK_WISH_TSC_BY_CPU, true, true, CLOCK_SOURCE_MONOTONIC, 0, 0 },
	{ { .has_cntvct = true }, CLOCK_WISH_NONE, true, true, CLOCK_SOURCE_CNTVCT, 0, 0 },
};

static void test_choice(void **state)
{
	const struct clock_compare compare = { agree, stay };

	(void)state;
	assert_string_equal(clock_source_name(CLOCK_SOURCE_TSC_BY_CPU), "tsc-by-cpu");
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		const struct choice *want = &choices[i];
		enum clock_source source;

		they_agree = want->agrees;
		they_stay = want->stays;
		n_agree = n_stay = 0;
		source = choose(&want->machine, want->wish, &compare);
		if (source != want->source || n_agree != want->n_agree || n_stay != want->n_stay)
			fail_msg("choice %zu: %s, compared %u and measured %u times", i,
				 clock_source_name(source), n_agree, n_stay);
		if (n_agree + n_stay)
			assert_int_equal(choose(&want->machine, want->wish, NULL),
					 CLOCK_SOURCE_MONOTONIC);
	}
}

#if defined(__x86_64__)
static int at_once(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = (struct timespec){ 1, 0 };
	return 0;
}

/* A library that asks the kernel is told from one that does not, whatever this machine's does. */
static void test_served(void **state)
{
	uint32_t n_asked = 0, n_at_once = 0;

	(void)state;
	errno = ENOTTY;
	for (int i = 0; i < 1000; i++) {
		read_clock = ask_kernel;
		n_asked += is_served();
		read_clock = at_once;
		n_at_once += is_served();
	}
	read_clock = clock_gettime;
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(n_asked, 0);
	assert_int_equal(n_at_once, 1000);
	assert_true(is_cheap(70, 200) &&
		    is_cheap(40, 60)); /* kvm-clock, with and without mitigations */
	assert_false(is_cheap(220, 200) ||
		     is_cheap(198, 200)); /* .. while the host does not vouch */
	print_message("[ the kernel's clock is read %s ]\n",
		      is_served() ? "at once" : "by a system call");
}

static bool says(const char *text)
{
	char path[] = "/tmp/tptrace.clocksource.XXXXXX";
	int fd = mkstemp(path);
	bool said;

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	said = is_said_in("/tmp", strrchr(path, '/') + 1);
	unlink(path);
	return said;
}

static void test_clocksources(void **state)
{
	(void)state;
	assert_true(says("tsc\n") && says("tsc kvm-clock \n") && says("kvm-clock tsc \n"));
	assert_true(says("hyperv_clocksource_tsc_page tsc\n") && says("kvm-clock tsc"));
	assert_false(says("kvm-clock\n") || says("hyperv_clocksource_tsc_page\n"));
	assert_false(says("tsc-early\n") || says("") || says("xtsc "));
	assert_false(is_said_in("/nowhere", "x") || is_said_in("/tmp", "../nowhere"));
}
#endif

static void check_monotonic(const struct clock *clock)
{
	uint64_t last = clock_ticks_by(clock);
	uint64_t n_moves = 0;

	for (int i = 0; i < 1000000; i++) {
		uint64_t now = clock_ticks_by(clock);

		assert_true(now >= last);
		n_moves += now > last;
		last = now;
	}
	assert_true(n_moves > 1000);
}

static void test_monotonic(void **state)
{
	(void)state;
	check_monotonic(here());
	check_monotonic(&portable);
}

/* The pair lies between readings that are made around it. */
static void check_pair(const struct clock *clock)
{
	for (int i = 0; i < 1000; i++) {
		uint64_t ns = clock_monotonic_ns(), ticks = clock_ticks_by(clock);
		struct clock_pair pair = clock_pair(clock);
		uint64_t ticks_after = clock_ticks_by(clock), ns_after = clock_monotonic_ns();

		assert_true(pair.ticks >= ticks && pair.ticks <= ticks_after);
		assert_true(pair.ns >= ns && pair.ns <= ns_after);
	}
}

static void test_pair(void **state)
{
	(void)state;
	check_pair(here());
	check_pair(&portable);
	for (int i = 0; i < 1000; i++) { /* on one clock the two are one instant, or nearly */
		struct clock_pair pair = clock_pair(&portable);

		assert_true(llabs((long long)(pair.ticks - pair.ns)) < 100000);
	}
}

#define MOVES 2000

static _Atomic uint32_t n_moved, n_handled;

static void handle(int number)
{
	(void)number;
	atomic_fetch_add(&n_handled, 1);
}

/* Reads its CPU's counter until it was moved often enough: never is it earlier than before. */
static void *read_counters(void *never_back)
{
	const cpu_set_t *allowed = *(const cpu_set_t **)never_back;
	bool good = true;
	uint64_t last = 0, ticks = 0;
	uint32_t cpu, n = 0;

	while (atomic_load(&n_moved) < MOVES) {
		if (++n % 1024 == 0) /* with SCHED_FIFO who moves us would never run */
			sched_yield();
		good &= restart_ticks(&cpu, &ticks) && cpu < CPU_SETSIZE &&
			CPU_ISSET(cpu, allowed) && ticks >= last;
		last = ticks;
	}
	*(void **)never_back = good ? (void *)never_back : NULL;
	return NULL;
}

/* Threads are moved and interrupted while they read, also between the two readings. */
static void test_restart(void **state)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
	struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
	cpu_set_t allowed, one;
	void *arg[2] = { &allowed, &allowed };
	pthread_t thread[2];

	(void)state;
	if (!restart_on())
		skip();
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	sigaction(SIGALRM, &action, NULL);
	atomic_store(&n_moved, 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, read_counters, &arg[i]), 0);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int cpu = 0, n = 0; n < MOVES; cpu = (cpu + 1) % CPU_SETSIZE) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		pthread_setaffinity_np(thread[n & 1], sizeof(one), &one);
		n++;
		atomic_store(&n_moved, (uint32_t)n);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		assert_ptr_equal(arg[i], &arg[i]);
	}
	print_message("[ %u signals ]\n", atomic_load(&n_handled));
}

static struct clock_pair pair_after(struct clock_pair *begin, uint64_t pause_ns)
{
	struct timespec pause = { .tv_nsec = (long)pause_ns };
	struct clock_pair end;

	*begin = clock_pair(here());
	nanosleep(&pause, NULL);
	end = clock_pair(here());
	return (struct clock_pair){ end.ticks - begin->ticks, end.ns - begin->ns };
}

/*
 * The rate that two pairs 50 ms apart give is that of any others, to 1 %: this is how ticks
 * become ns.  A busy machine may skew one pair, so it has a few tries.
 */
static void test_rate(void **state)
{
	(void)state;
	for (int i = 0; i < TRIES; i++) {
		struct clock_pair begin, one, other;

		one = pair_after(&begin, PAUSE_NS);
		other = pair_after(&begin, PAUSE_NS);
		assert_true(one.ns >= PAUSE_NS && other.ns >= PAUSE_NS);

		double rate = (double)one.ticks / (double)one.ns;
		double predicted_ns = (double)other.ticks / rate;

		if (predicted_ns > .99 * (double)other.ns && predicted_ns < 1.01 * (double)other.ns)
			return;
	}
	fail_msg("the rate of the clock changes by more than 1 %%");
}

/* CLOCK_MONOTONIC itself, read by two ways. */
static void test_monotonic_ns(void **state)
{
	struct timespec ts;
	uint64_t before = clock_monotonic_ns(), after;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	after = clock_monotonic_ns();
	assert_in_range((uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec, before, after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_probe),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_restart),
#if defined(__x86_64__)
		cmocka_unit_test(test_served),
		cmocka_unit_test(test_clocksources),
#endif
		cmocka_unit_test(test_monotonic),
		cmocka_unit_test(test_pair),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_monotonic_ns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
