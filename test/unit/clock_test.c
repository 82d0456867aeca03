/* SPDX-License-Identifier: MIT */
/* clock_test.c - the recorder's clocks never step back, and agree with CLOCK_MONOTONIC. */
#include "collector/session/clock.c" /* NOLINT: libtptrace.so hides what is in it */

#include "test/lib/test.h"

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

TEST(test_probe)
{
	enum clock_source source = clock_probe(CLOCK_WISH_NONE, NULL);

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

static uint32_t n_asked; /* how often it was asked */
static bool they_agree;

static bool agree(void)
{
	n_asked++;
	return they_agree;
}

/* What is to be chosen by a machine; and whether CPUs are compared, which takes time. */
struct choice {
	struct machine machine;
	enum clock_wish wish;
	bool agrees;
	enum clock_source source;
	uint32_t n_asked;
};

#define INVARIANT .tsc_is_invariant = true
#define LISTED .kernel_knows_tsc = true
#define VOUCHED .is_vouched_for = true
#define BY_TSC .kernel_has_tsc = true, LISTED, VOUCHED

static const struct choice choices[] = {
	/* the kernel's own, or what is asked for: nothing is compared */
	{ { INVARIANT, BY_TSC }, CLOCK_WISH_NONE, false, CLOCK_SOURCE_TSC, 0 },
	{ { INVARIANT, BY_TSC }, CLOCK_WISH_MONOTONIC, true, CLOCK_SOURCE_MONOTONIC, 0 },
	{ { INVARIANT, LISTED }, CLOCK_WISH_TSC, false, CLOCK_SOURCE_TSC, 0 },
	{ { INVARIANT }, CLOCK_WISH_TSC, false, CLOCK_SOURCE_TSC, 0 },
	{ { INVARIANT, VOUCHED }, CLOCK_WISH_MONOTONIC, true, CLOCK_SOURCE_MONOTONIC, 0 },
	{ { LISTED, VOUCHED }, CLOCK_WISH_TSC, true, CLOCK_SOURCE_MONOTONIC, 0 },
	{ { LISTED, VOUCHED }, CLOCK_WISH_NONE, true, CLOCK_SOURCE_MONOTONIC, 0 },
	/* the kernel lists it, or the host vouches for it: if the CPUs agree */
	{ { INVARIANT, LISTED }, CLOCK_WISH_NONE, true, CLOCK_SOURCE_TSC, 1 },
	{ { INVARIANT, LISTED }, CLOCK_WISH_NONE, false, CLOCK_SOURCE_MONOTONIC, 1 },
	{ { INVARIANT, VOUCHED }, CLOCK_WISH_NONE, true, CLOCK_SOURCE_TSC, 1 },
	{ { INVARIANT, VOUCHED }, CLOCK_WISH_NONE, false, CLOCK_SOURCE_MONOTONIC, 1 },
	/* nobody does */
	{ { INVARIANT }, CLOCK_WISH_NONE, true, CLOCK_SOURCE_MONOTONIC, 0 },
	{ { .has_cntvct = true }, CLOCK_WISH_NONE, true, CLOCK_SOURCE_CNTVCT, 0 },
	{ { .has_cntvct = true }, CLOCK_WISH_MONOTONIC, true, CLOCK_SOURCE_MONOTONIC, 0 },
};

TEST(test_choice)
{
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		const struct choice *want = &choices[i];
		enum clock_source source;

		they_agree = want->agrees;
		n_asked = 0;
		source = clock_choose(&want->machine, want->wish, agree);
		if (source != want->source || n_asked != want->n_asked)
			fail_msg("choice %zu: %s, compared %u times", i, clock_source_name(source),
				 n_asked);
		if (n_asked)
			assert_int_equal(clock_choose(&want->machine, want->wish, NULL),
					 CLOCK_SOURCE_MONOTONIC);
	}
}

#if defined(__x86_64__)
static int at_once(clockid_t clock, struct timespec *now)
{
	*now = (struct timespec){ 1, 0 };
	return 0;
}

/* A library that asks the kernel is told from one that does not, whatever this machine's does. */
TEST(test_served)
{
	uint32_t n_by_call = 0, n_at_once = 0;

	errno = ENOTTY;
	for (int i = 0; i < 1000; i++) {
		read_clock = ask_kernel;
		n_by_call += is_served();
		read_clock = at_once;
		n_at_once += is_served();
	}
	read_clock = clock_gettime;
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(n_by_call, 0);
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

TEST(test_clocksources)
{
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

TEST(test_monotonic)
{
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

TEST(test_pair)
{
	check_pair(here());
	check_pair(&portable);
	for (int i = 0; i < 1000; i++) { /* on one clock the two are one instant, or nearly */
		struct clock_pair pair = clock_pair(&portable);

		assert_true(llabs((long long)(pair.ticks - pair.ns)) < 100000);
	}
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
TEST(test_rate)
{
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
TEST(test_monotonic_ns)
{
	struct timespec ts;
	uint64_t before = clock_monotonic_ns(), after;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	after = clock_monotonic_ns();
	assert_in_range((uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec, before, after);
}
