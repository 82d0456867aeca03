/* SPDX-License-Identifier: MIT */
/* qth_trial.c - what recording takes where Qthreads runs a task as it is created. */
#include "shims/common/shim_trial.h"
#include "shims/qth/qth.h"

TRIAL_OF(qth, qthread_fork, qthread_fork)
TRIAL_OF(qth, qthread_readFF, qthread_readFF)

static int stand_in_spawn(QTH_TASK, size_t bytes, void *ret, size_t n, void *preconds,
			  uint16_t shep, unsigned flags)
{
	trial_work();
	*(word *)ret = fn((void *)arg);
	return 0;
}

static int stand_in_fork(QTH_TASK, void *ret)
{
	return stand_in_spawn(fn, arg, 0, ret, 0, NULL, 0, 0);
}

static word stand_in_readFF(word to, word at)
{
	trial_work();
	return 0;
}

static struct qth stand_in = { .qthread_spawn = stand_in_spawn, .qthread_readFF = stand_in_readFF };

static __attribute__((noinline)) word qth_trial_task(void *arg)
{
	__asm__ volatile("" : : "r"(arg) : "memory");
	return 0;
}

TRIAL_BODY static void make(bool recorded)
{
	__typeof__(qthread_fork_tried) *create = recorded ? qthread_fork_tried : stand_in_fork;
	__typeof__(qthread_readFF_tried) *wait = recorded ? qthread_readFF_tried : stand_in_readFF;
	word value = 0;

	for (int i = 0; i < TRIAL_TASKS; i++) {
		create(qth_trial_task, NULL, &value);
		wait(0, (uintptr_t)&value);
		__asm__ volatile("" ::: "memory"); /* it returns to here */
	}
}

/* Each task is waited for by itself. */
TRIAL_PLAIN(qth, make, 3 * TRIAL_TASKS, 0, &stand_in)
