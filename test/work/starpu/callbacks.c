/* SPDX-License-Identifier: MIT */
/* Callbacks: they work, and they submit the next task; also of tasks that were waited for. */
#include "common.h"

static long n_called;

static void called(void *arg)
{
	struct starpu_task *task;

	n_called += starpu_task_get_current() != NULL;
	spin(1000);
	if ((intptr_t)arg == 0)
		return;
	task = task_of(&run_cl, 1);
	task->callback_func = called;
	task->callback_arg = (void *)((intptr_t)arg - 1);
	MUST(starpu_task_submit(task));
}

static void other(void *arg)
{
	*(long *)arg += 1;
}

int main(void)
{
	struct starpu_task *task;
	long n = 0;

	begin();
	task = task_of(&run_cl, 1);
	task->callback_func = called;
	task->callback_arg = (void *)(intptr_t)30;
	MUST(starpu_task_submit(task));
	starpu_task_wait_for_all();
	task = task_of(&run_cl, 1);
	task->detach = 0;
	task->destroy = 0;
	task->callback_func = other;
	task->callback_arg = &n;
	for (int i = 0; i < 3; i++) {
		MUST(starpu_task_submit(task));
		MUST(starpu_task_wait(task));
		if (task->callback_func != other)
			printf("the callback is another one\n");
	}
	starpu_task_destroy(task);
	printf("%ld %ld %ld\n", n_run, n_called, n);
	finish(31 * 2 + 3 * 2);
	return 0;
}
