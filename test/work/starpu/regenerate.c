/* SPDX-License-Identifier: MIT */
/* A task that StarPU submits again and again, until its callback, or its code, says no. */
#include "common.h"

static long n_self;

static void called(void *arg)
{
	struct starpu_task *task = starpu_task_get_current();

	if (++*(int *)arg == 20)
		task->regenerate = 0;
}

static void run_self(void *buffers[], void *arg)
{
	struct starpu_task *task = starpu_task_get_current();

	(void)buffers;
	(void)arg;
	if (++n_self == 10)
		task->regenerate = 0;
}
static struct starpu_codelet self_cl = { .cpu_funcs = { run_self }, .name = "run itself again" };

int main(void)
{
	struct starpu_task task, self;
	int n = 0;

	begin();
	starpu_task_init(&task);
	task.cl = &run_cl;
	task.cl_arg = (void *)1;
	task.regenerate = 1;
	task.callback_func = called;
	task.callback_arg = &n;
	MUST(starpu_task_submit(&task));
	starpu_task_wait_for_all();
	starpu_task_clean(&task);
	starpu_task_init(&self);
	self.cl = &self_cl;
	self.regenerate = 1;
	MUST(starpu_task_submit(&self));
	starpu_task_wait_for_all();
	starpu_task_clean(&self);
	printf("%ld %d %ld\n", n_run, n, n_self);
	finish(20 * 2 + 10);
	return 0;
}
