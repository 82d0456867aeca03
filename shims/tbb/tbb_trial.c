/* SPDX-License-Identifier: MIT */
/* tbb_trial.c - what recording takes of pairs of tasks, which their creator runs as it waits. */
#include "shims/common/shim_trial.h"
#include "shims/tbb/tbb.h"
#include "shims/tbb/tbb_vtable.h"

TRIAL_OF(tbb, spawn, tbb_spawn)
TRIAL_OF(tbb, wait, tbb_wait)

static struct tbb_task *spawned[2]; /* on the one thread that tries */

static void stand_in_spawn(struct tbb_task *task, void *context)
{
	trial_work();
	spawned[spawned[0] != NULL] = task;
}

static void stand_in_wait(void *wait_context, void *context)
{
	trial_work();
	struct tbb_execution execution = { context };

	for (int i = 0; i < 2; i++) {
		struct tbb_task *task = spawned[i];

		spawned[i] = NULL;
		((tbb_task_fn)task->vtable[TBB_VTABLE_EXECUTE])(task, &execution);
	}
}

static struct tbb stand_in = { .spawn = stand_in_spawn, .wait = stand_in_wait, .counted = true };

static struct tbb_task *tbb_trial_task(struct tbb_task *task, struct tbb_execution *execution)
{
	__asm__ volatile("" : : "r"(task), "r"(execution) : "memory");
	return NULL;
}

/* As much as is copied of a vtable, the words before it too. */
static uintptr_t words[TBB_WORDS_BEFORE + TBB_WORDS] = {
	[TBB_WORDS_BEFORE + TBB_VTABLE_EXECUTE] = (uintptr_t)tbb_trial_task,
	[TBB_WORDS_BEFORE + TBB_VTABLE_CANCEL] = (uintptr_t)tbb_trial_task,
};

TRIAL_BODY static void make(bool recorded)
{
	__typeof__(spawn_tried) *create = recorded ? spawn_tried : stand_in_spawn;
	__typeof__(wait_tried) *wait = recorded ? wait_tried : stand_in_wait;
	char context = 0;

	for (int i = 0; i < TRIAL_TASKS / 2; i++) {
		struct tbb_task task[2] = { { words + TBB_WORDS_BEFORE },
					    { words + TBB_WORDS_BEFORE } };

		create(&task[0], &context);
		create(&task[1], &context);
		wait(&context, &context);
	}
}

static bool try_tbb(const void *instance)
{
	const struct tbb *tbb = instance;
	struct tbb *here = tbb_here;

	record_trial(tbb->head.runtime, make, TRIAL_STRANDS, 0);
	tbb_here = here;
	return true;
}

TRIAL(tbb, try_tbb, &stand_in)
