/* SPDX-License-Identifier: MIT */
/* starpu_trial.c - what recording takes of tasks without data that the submitting thread runs. */
#include "shims/common/shim_trial.h"
#include "shims/starpu/starpu.h"
#include "shims/starpu/starpu_fields.h"

TRIAL_OF(starpu, starpu_task_submit, starpu_task_submit)
TRIAL_OF(starpu, _starpu_driver_start_job, _starpu_driver_start_job)
TRIAL_OF(starpu, _starpu_driver_end_job, _starpu_driver_end_job)

#define OBJECT_BYTES 1024 /* a task or a codelet, of any version */

/* Of the one thread that tries. */
static struct {
	_Alignas(16) char task[OBJECT_BYTES], codelet[OBJECT_BYTES];
} trial;

static int stand_in_submit(void *task)
{
	return 0;
}

static void stand_in_job(STARPU_JOB)
{
}

static void *stand_in_current(void)
{
	return trial.task;
}

static int stand_in_worker(void)
{
	return 0;
}

static struct starpu stand_in = { .starpu_task_submit = stand_in_submit,
				  ._starpu_driver_start_job = stand_in_job,
				  ._starpu_driver_end_job = stand_in_job,
				  .starpu_task_get_current = stand_in_current,
				  .starpu_worker_get_id = stand_in_worker };

TRIAL_BODY static void make(bool recorded)
{
	__typeof__(starpu_task_submit_tried) *submit =
		recorded ? starpu_task_submit_tried : stand_in_submit;
	__typeof__(_starpu_driver_start_job_tried) *start =
		recorded ? _starpu_driver_start_job_tried : stand_in_job;
	__typeof__(_starpu_driver_end_job_tried) *end =
		recorded ? _starpu_driver_end_job_tried : stand_in_job;
	uintptr_t job = (uintptr_t)&trial;

	for (int i = 0; i < TRIAL_TASKS; i++) {
		submit(trial.task);
		start(0, job, 0, 0, 0, 0);
		end(0, job, 0, 0, 0, 0);
		__asm__ volatile("" ::: "memory"); /* it returns to here */
	}
}

/* The submitting task has two strands for each task: it is left for it, too. */
static bool try_starpu(const void *instance)
{
	const struct starpu *s = instance;
	struct starpu_thread was = starpu_thread;

	if (!s->layout)
		return true;
	stand_in.layout = s->layout;
	stand_in.no_ctx = s->no_ctx;
	*(starpu_word *)(trial.task + s->layout->cl) = (uintptr_t)trial.codelet;
	starpu_thread = (struct starpu_thread){ 0 };
	record_trial(s->head.runtime, make, 3 * TRIAL_TASKS, 0);
	starpu_thread = was;
	return true;
}

TRIAL(starpu, try_starpu, &stand_in)
