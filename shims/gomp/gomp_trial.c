/* SPDX-License-Identifier: MIT */
/* gomp_trial.c - what recording takes where libgomp runs a task as it is created. */
#include "shims/common/shim_trial.h"
#include "shims/gomp/gomp_long.h"

#include "shims/common/copy.h"

TRIAL_OF(gomp, GOMP_task, GOMP_task)
TRIAL_OF(gomp, GOMP_taskwait, GOMP_taskwait)

#define DATA_BYTES 16 /* a pointer or two, as most tasks have */

static void stand_in_task(gomp_fn fn, void *data, gomp_cpyfn cpyfn, long bytes, long align,
			  bool if_clause, unsigned flags, void **depend, int priority, void *detach)
{
	_Alignas(16) char block[sizeof(struct long_head) + DATA_BYTES];

	trial_work();
	copy_bytes(block, data, (size_t)bytes);
	fn(block);
}

static void stand_in_taskwait(void)
{
	trial_work();
}

static struct gomp stand_in = { .GOMP_task = stand_in_task, .GOMP_taskwait = stand_in_taskwait };

static __attribute__((noinline)) void gomp_trial_task(void *data)
{
	__asm__ volatile("" : : "r"(data) : "memory");
}

TRIAL_BODY static void make(bool recorded)
{
	__typeof__(GOMP_task_tried) *create = recorded ? GOMP_task_tried : stand_in_task;
	__typeof__(GOMP_taskwait_tried) *wait = recorded ? GOMP_taskwait_tried : stand_in_taskwait;
	char data[DATA_BYTES] = "";

	for (int i = 0; i < TRIAL_TASKS / 2; i++) {
		create(gomp_trial_task, data, NULL, DATA_BYTES, 8, true, 0, NULL, 0, NULL);
		create(gomp_trial_task, data, NULL, DATA_BYTES, 8, true, 0, NULL, 0, NULL);
		wait();
		__asm__ volatile("" ::: "memory"); /* it returns to here */
	}
}

static bool try_gomp(const void *instance)
{
	const struct gomp *gomp = instance;

	if (gomp->head.other)
		return !ompt_trial || ompt_trial(gomp->head.runtime);
	record_trial(gomp->head.runtime, make, TRIAL_STRANDS, 0);
	return true;
}

TRIAL(gomp, try_gomp, &stand_in)
