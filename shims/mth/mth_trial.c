/* SPDX-License-Identifier: MIT */
/* mth_trial.c - what recording takes where MassiveThreads runs a thread as it is created. */
#include "shims/common/shim_trial.h"
#include "shims/mth/mth.h"

TRIAL_OF(mth, myth_create, myth_create)
TRIAL_OF(mth, myth_join, myth_join)

static void *stand_in_create(mth_func func, void *arg)
{
	trial_work();
	static char handle; /* any */

	func(arg);
	return &handle;
}

static uintptr_t stand_in_join(uintptr_t handle, uintptr_t result)
{
	trial_work();
	return 0;
}

static struct mth stand_in = { .myth_create = stand_in_create,
			       .myth_join = stand_in_join,
			       .is_counted = true };

static __attribute__((noinline)) void *mth_trial_task(void *arg)
{
	__asm__ volatile("" : : "r"(arg) : "memory");
	return NULL;
}

TRIAL_BODY static void make(bool recorded)
{
	__typeof__(myth_create_tried) *create = recorded ? myth_create_tried : stand_in_create;
	__typeof__(myth_join_tried) *join = recorded ? myth_join_tried : stand_in_join;

	for (int i = 0; i < TRIAL_TASKS; i++) {
		void *handle = create(mth_trial_task, NULL);

		join((uintptr_t)handle, 0);
		__asm__ volatile("" ::: "memory"); /* it returns to here */
	}
}

/* Each thread is joined by itself. */
TRIAL_PLAIN(mth, make, 3 * TRIAL_TASKS, 0, &stand_in)
