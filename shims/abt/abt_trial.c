/* SPDX-License-Identifier: MIT */
/* abt_trial.c - what recording takes where a ULT is created, runs, and is joined. */
#include "shims/abt/abt.h"
#include "shims/common/shim_trial.h"

TRIAL_OF(abt, ABT_thread_create, ABT_thread_create)
TRIAL_OF(abt, ABT_thread_join, ABT_thread_join)

static int stand_in_create(void *pool, abt_func func, void *arg, void *attr, void **made)
{
	trial_work();
	func(arg);
	return 0;
}

static int stand_in_join(void *thread)
{
	trial_work();
	return 0;
}

static int stand_in_is_primary(int *is)
{
	*is = 0;
	return 1;
}

static struct abt stand_in = { .ABT_thread_create = stand_in_create,
			       .ABT_thread_join = stand_in_join,
			       .ABT_self_is_primary = stand_in_is_primary };

static __attribute__((noinline)) void abt_trial_task(void *arg)
{
	__asm__ volatile("" : : "r"(arg) : "memory");
}

TRIAL_BODY static void make(bool recorded)
{
	__typeof__(ABT_thread_create_tried) *create =
		recorded ? ABT_thread_create_tried : stand_in_create;
	__typeof__(ABT_thread_join_tried) *join = recorded ? ABT_thread_join_tried : stand_in_join;

	for (int i = 0; i < TRIAL_TASKS; i++) {
		static char thread; /* any */

		create(NULL, abt_trial_task, NULL, NULL, NULL);
		join(&thread);
		__asm__ volatile("" ::: "memory"); /* it returns to here */
	}
}

/* Each thread is joined by itself. */
TRIAL_PLAIN(abt, make, 3 * TRIAL_TASKS, 0, &stand_in)
