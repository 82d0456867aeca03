/* SPDX-License-Identifier: MIT */
/* settled_test.c - threads that sleep stand still, but not all of them. */
#include "preload/probes/virtual/settled.c" /* NOLINT */

static long sleep_for_lock(long number, ...);

#define syscall sleep_for_lock
#include "preload/libc.c" /* NOLINT */
#undef syscall

#include <pthread.h>
#include <sched.h>

#include "test/lib/test.h"

#include "collector/session/clock.h"
#include "collector/session/futex.h"

static struct session session;
static struct worker worker; /* the sleeper's, if it has one */
static _Atomic uint32_t bed, slept, awake, over, lock;
static bool wakes; /* between the two looks at all threads */
static uint32_t sleeper, lists;

struct session *session_get(void)
{
	return &session;
}

struct worker *session_worker(uint32_t index)
{
	return &worker;
}

bool looking_spins(uint32_t thread)
{
	return false;
}

static void go_to_bed(void)
{
	atomic_store(&slept, 1);
	while (!atomic_load(&bed))
		futex_wait(&bed, 0, UINT64_C(60000000000));
}

/* libc.c's: a rest lasts. */
static long sleep_for_lock(long number, ...)
{
	if (number == SYS_clock_nanosleep)
		go_to_bed();
	return 0;
}

static void *sleep_then_run(void *arg)
{
	sleeper = (uint32_t)syscall(SYS_gettid);
	atomic_store(&worker.cpu.thread, sleeper);
	if (atomic_load(&lock)) {
		libc_take(&lock);
		libc_give(&lock);
	} else {
		go_to_bed();
	}
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
	libc_give(&lock);
	atomic_store(&bed, 1);
	futex_wake(&bed);
	atomic_store(&over, 1);
	pthread_join(thread, NULL);
	return all;
}

static enum settled ask_with(uint32_t n_workers, enum worker_state state)
{
	enum settled all = SETTLED_NO;

	session.n_workers = n_workers;
	worker.in_use = 1;
	worker.state = state;
	for (int i = 0; i < 20 && all != SETTLED; i++) /* it may have slept for another reason */
		all = ask(false);
	session.n_workers = 0;
	return all;
}

TEST(test_asleep)
{
	assert_int_equal(ask_with(0, WORKER_STRANGE), SETTLED);
	assert_int_equal(lists, 2);
}

TEST(test_woken)
{
	for (int i = 0; i < 20; i++)
		assert_int_equal(ask(true), SETTLED_NO);
}

TEST(test_worker)
{
	assert_int_equal(ask_with(1, WORKER_OUTSIDE), SETTLED);
	assert_int_equal(ask_with(1, WORKER_INSIDE), SETTLED_NO);
	assert_int_equal(ask_with(1, WORKER_STORING), SETTLED_NO);
}

TEST(test_lock)
{
	for (int i = 0; i < 20; i++) {
		libc_take(&lock);
		assert_int_equal(ask(false), SETTLED_NO);
	}
}
