/* SPDX-License-Identifier: MIT */
/*
 * ompt_trial.c - what recording takes where libomp runs a task as it is handed over, and calls
 * back.
 *
 * What libomp itself does more when it has somebody to call back is not in it.
 */
#include "shims/common/shim_trial.h"
#include "shims/ompt/ompt_callbacks.h"
#include "shims/ompt/ompt_kmpc.h"

TRIAL_OF(kmpc, __kmpc_omp_task_alloc, __kmpc_omp_task_alloc)
TRIAL_OF(kmpc, __kmpc_omp_task, __kmpc_omp_task)
TRIAL_OF(kmpc, __kmpc_omp_taskwait, __kmpc_omp_taskwait)

/* Of the one thread that tries. */
static struct {
	union ompt_data creator, task; /* their words */
	int (*code)(int gtid, void *task);
	bool calls_back;
} trial;

static void *stand_in_alloc(KMPC_HERE, int flags, size_t task_bytes, size_t shared_bytes,
			    void *entry)
{
	trial.code = (int (*)(int, void *))(uintptr_t)entry;
	return &trial;
}

static uintptr_t stand_in_task(KMPC_TASK)
{
	trial_work();
	if (!trial.calls_back)
		return trial.code(gtid, task);
	ompt_task_create(&trial.creator, NULL, &trial.task, OMPT_TASK_UNDEFERRED, 0, NULL);
	ompt_task_schedule(&trial.creator, OMPT_TASK_SWITCH, &trial.task);
	trial.code(gtid, task);
	ompt_task_schedule(&trial.task, OMPT_TASK_COMPLETE, &trial.creator);
	return 0;
}

static uintptr_t stand_in_taskwait(KMPC_HERE)
{
	trial_work();
	return 0;
}

static struct kmpc stand_in = { .__kmpc_omp_task_alloc = stand_in_alloc,
				.__kmpc_omp_task = stand_in_task,
				.__kmpc_omp_taskwait = stand_in_taskwait };

static __attribute__((noinline)) int ompt_trial_task(int gtid, void *task)
{
	__asm__ volatile("" : : "r"(task) : "memory");
	return gtid;
}

TRIAL_BODY static void make(bool recorded)
{
	__typeof__(__kmpc_omp_task_alloc_tried) *alloc =
		recorded ? __kmpc_omp_task_alloc_tried : stand_in_alloc;
	__typeof__(__kmpc_omp_task_tried) *create =
		recorded ? __kmpc_omp_task_tried : stand_in_task;
	__typeof__(__kmpc_omp_taskwait_tried) *wait =
		recorded ? __kmpc_omp_taskwait_tried : stand_in_taskwait;

	trial.calls_back = recorded;
	trial.creator.value = worker_self()->task | OMPT_BEGUN;
	for (int i = 0; i < TRIAL_TASKS / 2; i++) {
		void *entry = (void *)(uintptr_t)ompt_trial_task;

		create(NULL, 0, alloc(NULL, 0, FLAG_TIED, 48, 8, entry));
		create(NULL, 0, alloc(NULL, 0, FLAG_TIED, 48, 8, entry));
		wait(NULL, 0);
		__asm__ volatile("" ::: "memory"); /* it returns to here */
	}
}

/* Of others than plain ones nothing is known. */
static bool try_runtime(uint32_t runtime)
{
	struct ompt_thread was = ompt_thread;

	if (!ompt_state.plain)
		return false;
	ompt_thread = (struct ompt_thread){ 0 };
	record_trial(runtime, make, TRIAL_STRANDS, 0);
	ompt_thread = was;
	return true;
}

static bool try_ompt(const void *instance)
{
	const struct kmpc *kmpc = instance;

	return try_runtime(kmpc->head.runtime);
}

TRIAL(kmpc, try_ompt, &stand_in)

static __attribute__((constructor)) void tell_trial(void)
{
	ompt_trial = try_runtime;
}
