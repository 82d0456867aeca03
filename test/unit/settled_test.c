/* SPDX-License-Identifier: MIT */
/* settled_test.c - threads that sleep stand still, unless one is woken between two looks. */
#include "preload/settled.c" /* NOLINT */

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "preload/session/clock.h"
#include "preload/session/futex.h"

static struct session session; /* without workers */
static _Atomic uint32_t bed, slept, awake, over;
static bool wakes; /* between the two looks at all threads */
static uint32_t sleeper, lists;

struct session *session_get(void)
{
	return &session;
}

struct worker *session_worker(uint32_t index)
{
	(void)index;
	return NULL;
}

bool looking_spins(uint32_t thread)
{
	(void)thread;
	return false;
}

static void *sleep_then_run(void *arg)
{
	sleeper = (uint32_t)syscall(SYS_gettid);
	atomic_store(&slept, 1);
	while (!atomic_load(&bed))
		futex_wait(&bed, 0, UINT64_C(60000000000));
	atomic_store(&awake, 1);
	while (!atomic_load(&over))
		if (!wakes)
			sched_yield();
	return arg;
}

static char state_now(void)
{
	struct thread thread = { .id = sleeper };

	look_at(&thread);
	return thread.state;
}

/* Asked of each thread of a list; the caller waits in the queue. */
static bool waits(uint32_t thread)
{
	bool mine = thread == (uint32_t)syscall(SYS_gettid);

	if (mine && ++lists == 2 && wakes) {
		atomic_store(&bed, 1);
		futex_wake(&bed);
		while (!atomic_load(&awake))
			sched_yield();
	}
	return mine;
}

static enum settled ask(bool wake)
{
	enum settled all;
	pthread_t thread;

	wakes = wake;
	lists = 0;
	slept = awake = bed = over = 0;
	assert_int_equal(pthread_create(&thread, NULL, sleep_then_run, NULL), 0);
	while (!atomic_load(&slept) || state_now() != 'S')
		sched_yield();
	all = settled(waits, clock_monotonic_ns());
	atomic_store(&bed, 1);
	futex_wake(&bed);
	atomic_store(&over, 1);
	pthread_join(thread, NULL);
	return all;
}

static void test_asleep(void **state)
{
	enum settled all = SETTLED_NO;

	(void)state;
	for (int i = 0; i < 20 && all != SETTLED; i++) /* it may have slept for another reason */
		all = ask(false);
	assert_int_equal(all, SETTLED);
	assert_int_equal(lists, 2);
}

static void test_woken(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++)
		assert_int_equal(ask(true), SETTLED_NO);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_asleep),
		cmocka_unit_test(test_woken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
