/* SPDX-License-Identifier: MIT */
/*
 * patience_test.c - who waits in the program for somebody else lets that one run, and does not wait
 * for ever: for a collector that stands still, for a lock, and for the end of a hold.
 */
#include "collector/session/clock.h"

static uint64_t now_ns; /* as the test wants it, for watch.c */

static uint64_t test_ns(void)
{
	return now_ns;
}

#define clock_monotonic_ns test_ns
#include "preload/watch.c" /* NOLINT */
#undef clock_monotonic_ns

static long counted_call(long number, ...);

#define syscall counted_call
#include "preload/libc.c" /* NOLINT */
#undef syscall

#include <pthread.h>

#include "test/lib/test.h"

#define SECOND_NS UINT64_C(1000000000)
#define LATE_S 60u /* what never ends, ends then */

static struct session *session;
static uint32_t looks_left; /* at the end of a hold, until that is over */

static __attribute__((noinline)) void looks_at(const volatile void *word)
{
	if (session && word == &session->frozen_until_ns && looks_left-- == 0)
		session->frozen_until_ns = 1;
}

#undef atomic_load
#define atomic_load(at) (looks_at(at), atomic_load_explicit(at, memory_order_seq_cst))
#include "collector/session/gate.c" /* NOLINT */

static int session_new(void **state)
{
	session = aligned_alloc(_Alignof(struct session), sizeof(*session));
	if (!session)
		return -1;
	memset(session, 0, sizeof(*session));
	session->collector_pid = (int)getpid(); /* it lives */
	alarm(LATE_S);
	return 0;
}

static int session_free(void **state)
{
	alarm(0);
	free(session);
	return 0;
}

/* ---- a collector that stands still ---- */

static enum watch look_after(uint64_t ns)
{
	now_ns += ns;
	return watch_collector(session);
}

static void collector_moves(void)
{
	atomic_fetch_add(&session->beat, 1);
	assert_int_equal(look_after(SECOND_NS / 100), WATCH_WELL);
}

/* How many looks, so far apart, until it is said to stand. */
static uint32_t looks_until_it_stands(uint64_t apart_ns)
{
	uint32_t n = 0;

	collector_moves();
	while (n < 100000 && look_after(apart_ns) == WATCH_WELL)
		n++;
	return n;
}

TEST_WITH(test_stands, session_new, session_free)
{
	uint32_t seconds = WATCH_PATIENCE_NS / SECOND_NS;

	now_ns = SECOND_NS;
	session->outside = 1;
	assert_in_range(looks_until_it_stands(SECOND_NS / 100), 100 * seconds, 100 * seconds + 1);
	assert_int_equal(look_after(SECOND_NS / 100), WATCH_STALLED);
	collector_moves();
	assert_int_equal(look_after(SECOND_NS / 100), WATCH_WELL);
}

/* On a busy machine it looks seldom.  Each time counts, but for no more than a second. */
TEST_WITH(test_stands_before_one_who_starves, session_new, session_free)
{
	uint32_t seconds = WATCH_PATIENCE_NS / SECOND_NS;

	session->outside = 1;
	for (uint64_t apart_s = 2; apart_s <= 1024; apart_s *= 2)
		assert_in_range(looks_until_it_stands(apart_s * SECOND_NS), seconds, seconds + 1);
}

/* Both were stopped. */
TEST_WITH(test_nobody_looked, session_new, session_free)
{
	session->outside = 1;
	collector_moves();
	assert_int_equal(look_after(3600 * SECOND_NS), WATCH_WELL);
	assert_int_equal(look_after(SECOND_NS / 100), WATCH_WELL);
}

/* ---- a lock ---- */

static _Atomic uint32_t the_lock, n_yields, n_rests;

static long counted_call(long number, ...)
{
	long a[4];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	atomic_fetch_add(&n_yields, number == SYS_sched_yield);
	atomic_fetch_add(&n_rests, number == SYS_clock_nanosleep);
	return syscall(number, a[0], a[1], a[2], a[3]);
}

static void *take_and_give(void *unused)
{
	libc_take(&the_lock);
	libc_give(&the_lock);
	return unused;
}

/* Yielding alone does not give way to a holder of lower priority. */
TEST_WITH(test_lock_gives_way, session_new, session_free)
{
	pthread_t thread;

	libc_take(&the_lock);
	assert_int_equal(pthread_create(&thread, NULL, take_and_give, NULL), 0);
	while (!atomic_load(&n_rests) && atomic_load(&n_yields) < 100000)
		;
	libc_give(&the_lock);
	pthread_join(thread, NULL);
	assert_in_range(atomic_load(&n_yields), 1, 1000);
	assert_true(atomic_load(&n_rests) > 0);
}

/* ---- a hold ---- */

/* A second hold ends before the first would have, and is over. */
TEST_WITH(test_hold_ends, session_new, session_free)
{
	atomic_store(&session->frozen, 7); /* no worker may go on */
	atomic_store(&session->frozen_until_ns, clock_monotonic_ns() + SECOND_NS / 1000);
	looks_left = 1;
	gate_rest(session, NULL);
	assert_int_equal(atomic_load(&session->frozen), 7);
	assert_int_equal(looks_left, UINT32_MAX);
}
