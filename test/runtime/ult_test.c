/* SPDX-License-Identifier: MIT */
/* ult_test.c - user-level threads under stress: nothing is lost, run twice, or run too early. */
#include "test/runtime/ult.h"

#include <fenv.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

static _Atomic uint64_t n_moved;

/* A child with a place to wait for it, as a runtime's join is made. */
struct child {
	struct ult_lock lock;
	bool done;
	struct ult *waiter;
	uint32_t n;
	uint64_t result;
	enum { RUN, WAKE, WAKE_ON, N_WAYS } way;
};

static void child_done(struct child *child)
{
	struct ult *waiter;

	ult_lock_acquire(&child->lock);
	child->done = true;
	waiter = child->waiter;
	ult_lock_release(&child->lock);
	if (waiter)
		ult_wake(waiter);
}

static void child_join(struct child *child)
{
	bool done;

	ult_lock_acquire(&child->lock);
	done = child->done;
	child->waiter = ult_self();
	ult_lock_release(&child->lock);
	if (!done)
		ult_park();
	CHECK(child->done);
}

static void child_start(struct child *child, ult_fn fn)
{
	struct ult *ult = ult_make(fn, child, child->n % 2 ? ULT_STACK_MIN : 0);

	CHECK(ult);
	if (child->way == RUN)
		ult_run(ult);
	else if (child->way == WAKE)
		ult_wake(ult);
	else
		ult_wake_on(ult, child->n);
}

static void fib(void *arg)
{
	struct child *self = arg, child[2] = { 0 };
	uint32_t worker = ult_worker();

	CHECK(ult_arg(ult_self()) == arg);
	if (self->way == WAKE_ON)
		CHECK(worker == self->n % ult_n_workers());
	self->result = self->n;
	if (self->n >= 2) {
		for (uint32_t i = 0; i < 2; i++) {
			child[i].n = self->n - 1 - i;
			child[i].way = (self->way + 1 + i) % N_WAYS;
			child_start(&child[i], fib);
		}
		child_join(&child[1]);
		child_join(&child[0]);
		self->result = child[0].result + child[1].result;
	}
	if (ult_worker() != worker)
		atomic_fetch_add(&n_moved, 1);
	bool exits = self->n % 3 == 0;

	child_done(self);
	if (exits)
		ult_exit();
}

/* Two threads that hand a token to and fro: a wake may come before its park. */
struct pong {
	struct ult *_Atomic player[2];
	_Atomic uint32_t turn, n_done;
	struct child end[2];
};

static void play(struct pong *pong, uint32_t me)
{
	atomic_store(&pong->player[me], ult_self());
	while (!atomic_load(&pong->player[1 - me]))
		ult_yield();
	for (uint32_t i = me; i < 2000; i += 2) {
		while (atomic_load(&pong->turn) != i)
			ult_park();
		atomic_store(&pong->turn, i + 1);
		ult_wake(atomic_load(&pong->player[1 - me]));
	}
	/* Only an unended thread may be woken: each waits until the other has done so last. */
	atomic_fetch_add(&pong->n_done, 1);
	while (atomic_load(&pong->n_done) != 2)
		ult_yield();
	child_done(&pong->end[me]);
}

static void play_0(void *arg)
{
	play(arg, 0);
}

static void play_1(void *arg)
{
	play(arg, 1);
}

static void test_pong(void)
{
	struct pong pong = { 0 };

	ult_wake(ult_make(play_0, &pong, 0));
	ult_wake(ult_make(play_1, &pong, 0));
	child_join(&pong.end[0]);
	child_join(&pong.end[1]);
	CHECK(pong.turn == 2000);
}

/* Registers that a call preserves, and the rounding mode, go with the thread. */
static void rounding(void *arg)
{
	static const int mode[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD };
	struct child *self = arg;

	fesetround(mode[self->n % 3]);
	for (int i = 0; i < 200; i++) {
		ult_yield();
		CHECK(fegetround() == mode[self->n % 3]);
	}
	for (uint32_t i = 0; i < 2 * ult_n_workers(); i++) {
		ult_move(i);
		CHECK(ult_worker() == i % ult_n_workers());
	}
	child_done(self);
}

static void test_rounding(void)
{
	struct child child[6] = { 0 };

	for (uint32_t i = 0; i < 6; i++) {
		child[i].n = i;
		child[i].way = WAKE;
		child_start(&child[i], rounding);
	}
	for (uint32_t i = 0; i < 6; i++)
		child_join(&child[i]);
}

static void test_all(uint32_t n_workers)
{
	struct child top = { .n = 16 };
	int arg;

	CHECK(!ult_self() && !ult_started());
	CHECK(ult_start(n_workers, 2 * ULT_STACK_MIN, &arg) == 0);
	CHECK(ult_self() && ult_arg(ult_self()) == &arg && ult_worker() == 0);
	for (top.way = 0; top.way < N_WAYS; top.way++) {
		top.done = false;
		top.waiter = NULL;
		child_start(&top, fib);
		child_join(&top);
		CHECK(top.result == 987);
	}
	test_pong();
	test_rounding();

	ult_stop();
	CHECK(!ult_self() && !ult_started());
	CHECK(gettid() == getpid());
}

int main(void)
{
	uint32_t n[] = { 1, 2, 4, 9 };

	alarm(60);
	for (size_t i = 0; i < sizeof(n) / sizeof(n[0]); i++)
		for (int again = 0; again < 2; again++) {
			atomic_store(&n_moved, 0);
			test_all(n[i]);
			CHECK(n[i] == 1 ? !n_moved : n_moved > 10);
		}
	return 0;
}
