/* SPDX-License-Identifier: MIT */
/* clock_test.c - the recorder's clocks never step back, and agree with CLOCK_MONOTONIC. */
#include "preload/session/clock.c" /* NOLINT: libtptrace.so hides what is in it */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define PAUSE_NS 50000000
#define TRIES 5

static const enum clock_source portable = CLOCK_SOURCE_MONOTONIC;

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

static uint32_t n_asked;

static bool they_agree(void)
{
	n_asked++;
	return true;
}

static bool they_differ(void)
{
	n_asked++;
	return false;
}

/* The counter is taken where it can be trusted, and CPUs are compared only where that matters. */
static void test_choice(void **state)
{
	const struct machine by_tsc = { .tsc_is_invariant = true, .kernel_has_tsc = true },
			     virtual = { .tsc_is_invariant = true, .kernel_knows_tsc = true },
			     varies = { .kernel_knows_tsc = true },
			     distrusted = { .tsc_is_invariant = true };

	(void)state;
	n_asked = 0;
	assert_int_equal(choose(&by_tsc, CLOCK_WISH_NONE, they_differ), CLOCK_SOURCE_TSC);
	assert_int_equal(choose(&virtual, CLOCK_WISH_MONOTONIC, they_agree),
			 CLOCK_SOURCE_MONOTONIC);
	assert_int_equal(choose(&virtual, CLOCK_WISH_TSC, they_differ), CLOCK_SOURCE_TSC);
	assert_int_equal(choose(&varies, CLOCK_WISH_NONE, they_agree), CLOCK_SOURCE_MONOTONIC);
	assert_int_equal(choose(&varies, CLOCK_WISH_TSC, they_agree), CLOCK_SOURCE_MONOTONIC);
	assert_int_equal(choose(&distrusted, CLOCK_WISH_NONE, they_agree), CLOCK_SOURCE_MONOTONIC);
	assert_int_equal(choose(&virtual, CLOCK_WISH_NONE, NULL), CLOCK_SOURCE_MONOTONIC);
	assert_int_equal(n_asked, 0);
	assert_int_equal(choose(&virtual, CLOCK_WISH_NONE, they_agree), CLOCK_SOURCE_TSC);
	assert_int_equal(choose(&virtual, CLOCK_WISH_NONE, they_differ), CLOCK_SOURCE_MONOTONIC);
	assert_int_equal(n_asked, 2);
}

#if defined(__x86_64__)
static bool says(const char *text)
{
	char path[] = "/tmp/tptrace.clocksource.XXXXXX";
	int fd = mkstemp(path);
	bool said;

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	said = is_said_in(path);
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
	assert_false(is_said_in("/nowhere"));
}
#endif

static void check_monotonic(enum clock_source source)
{
	uint64_t last = clock_ticks_by(source);
	uint64_t n_moves = 0;

	for (int i = 0; i < 1000000; i++) {
		uint64_t now = clock_ticks_by(source);

		assert_true(now >= last);
		n_moves += now > last;
		last = now;
	}
	assert_true(n_moves > 1000);
}

static void test_monotonic(void **state)
{
	(void)state;
	check_monotonic(clock_probe(CLOCK_WISH_NONE, NULL));
	check_monotonic(portable);
}

/* The pair lies between readings that are made around it. */
static void check_pair(enum clock_source source)
{
	for (int i = 0; i < 1000; i++) {
		uint64_t ns = clock_monotonic_ns(), ticks = clock_ticks_by(source);
		struct clock_pair pair = clock_pair(source);
		uint64_t ticks_after = clock_ticks_by(source), ns_after = clock_monotonic_ns();

		assert_true(pair.ticks >= ticks && pair.ticks <= ticks_after);
		assert_true(pair.ns >= ns && pair.ns <= ns_after);
	}
}

static void test_pair(void **state)
{
	(void)state;
	check_pair(clock_probe(CLOCK_WISH_NONE, NULL));
	check_pair(portable);
	for (int i = 0; i < 1000; i++) { /* on one clock the two are one instant, or nearly */
		struct clock_pair pair = clock_pair(portable);

		assert_true(llabs((long long)(pair.ticks - pair.ns)) < 100000);
	}
}

static struct clock_pair pair_after(struct clock_pair *begin, uint64_t pause_ns)
{
	struct timespec pause = { .tv_nsec = (long)pause_ns };
	struct clock_pair end;

	*begin = clock_pair(clock_probe(CLOCK_WISH_NONE, NULL));
	nanosleep(&pause, NULL);
	end = clock_pair(clock_probe(CLOCK_WISH_NONE, NULL));
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
#if defined(__x86_64__)
		cmocka_unit_test(test_clocksources),
#endif
		cmocka_unit_test(test_monotonic),
		cmocka_unit_test(test_pair),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_monotonic_ns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
