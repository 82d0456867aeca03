/* SPDX-License-Identifier: MIT */
/* virtual_queue_test.c - who comes while the first in the queue asks whether all is settled. */
#include "preload/probes/virtual/virtual_queue.c" /* NOLINT */

#include <pthread.h>
#include <sched.h>

#include "test/lib/test.h"

#define LATE_NS 1000u
#define SOON_NS 10u

static struct virtual_turn late, soon;
static pthread_t soon_thread;
static void (*unlocked)(void); /* called when a lock was given back */
static enum settled (*answer)(void);
static _Atomic uint32_t n_asked, n_asking, crowded;

/* ---- in the place of what is not tested ---- */

void libc_lock(_Atomic uint32_t *lock)
{
	while (atomic_exchange(lock, 1))
		sched_yield();
}

void libc_unlock(_Atomic uint32_t *lock)
{
	atomic_store(lock, 0);
	if (unlocked)
		unlocked();
}

enum settled settled(bool (*waits_)(uint32_t thread), uint64_t since_ns)
{
	enum settled all;

	n_asked++;
	if (atomic_fetch_add(&n_asking, 1) > 0)
		crowded = 1;
	all = answer();
	atomic_fetch_sub(&n_asking, 1);
	return all;
}

void settled_forget(void)
{
}

void looking_forget(void)
{
}

void looking_stir(void)
{
}

bool looking_rests(uint32_t thread)
{
	return false;
}

bool looking_any(void)
{
	return false;
}

/* ---- the tests ---- */

static int queue_new(void **state)
{
	virtual_queue_open(1);
	late = soon = (struct virtual_turn){ 0 };
	unlocked = NULL;
	n_asked = n_asking = crowded = 0;
	return 0;
}

/* Once the late one has come and knows that it is the first. */
static void come_soon(void)
{
	static uint32_t n_unlocked;

	if (++n_unlocked == 2) {
		unlocked = NULL;
		assert_true(come(&soon, SOON_NS));
	}
}

/* The first time, the one that came soon has left by the answer, and runs. */
static enum settled leave_soon(void)
{
	if (n_asked == 1)
		assert_true(turn_leave(&soon, queue.n_came));
	return SETTLED;
}

TEST_WITH(test_came_and_left, queue_new, NULL)
{
	unlocked = come_soon;
	answer = leave_soon;
	assert_true(virtual_queue_pass(&late, LATE_NS));
	assert_int_equal(n_asked, 2);
	assert_int_equal(virtual_queue_now(), 1 + LATE_NS);
}

static void *pass_soon(void *arg)
{
	assert_true(virtual_queue_pass(&soon, SOON_NS));
	return arg;
}

/* The first who asks waits until another has come, and for a while longer. */
static enum settled let_come(void)
{
	if (n_asked == 1) {
		assert_int_equal(pthread_create(&soon_thread, NULL, pass_soon, NULL), 0);
		while (queue.n < 2)
			sched_yield();
		for (int i = 0; i < 100; i++)
			rest();
	}
	return SETTLED;
}

TEST_WITH(test_one_asks, queue_new, NULL)
{
	answer = let_come;
	assert_true(virtual_queue_pass(&late, LATE_NS));
	pthread_join(soon_thread, NULL);
	assert_false(crowded);
	assert_int_equal(virtual_queue_now(), 1 + LATE_NS);
}
