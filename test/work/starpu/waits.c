/* SPDX-License-Identifier: MIT */
/* All ways to wait for tasks. */
#include "common.h"

static struct starpu_task *submit(int detach)
{
	struct starpu_task *task = task_of(&run_cl, 1);

	task->detach = detach;
	MUST(starpu_task_submit(task));
	return task;
}

int main(void)
{
	struct starpu_task *task[10];

	begin();
	for (int i = 0; i < 10; i++)
		task[i] = submit(0);
	for (int i = 9; i >= 0; i--)
		MUST(starpu_task_wait(task[i]));
	printf("%ld\n", n_run);
	for (int i = 0; i < 10; i++)
		task[i] = submit(0);
	MUST(starpu_task_wait_array(task, 10));
	printf("%ld\n", n_run);
	for (int i = 0; i < 40; i++)
		submit(1);
	MUST(starpu_task_wait_for_n_submitted(10));
	printf("%d\n", n_run >= 50 && starpu_task_nsubmitted() <= 10);
	MUST(starpu_task_wait_for_no_ready());
	MUST(starpu_task_wait_for_all());
	printf("%ld\n", n_run);
	for (int i = 0; i < 5; i++)
		submit(1);
	MUST(starpu_task_wait_for_all_in_ctx(0));
	printf("%ld\n", n_run);
	for (int i = 0; i < 5; i++)
		submit(1);
	MUST(starpu_task_wait_for_n_submitted_in_ctx(0, 0));
	printf("%ld\n", n_run);
	MUST(starpu_task_wait_array(task, 0));
	for (int i = 0; i < 5; i++)
		submit(1);
	starpu_shutdown(); /* waits, too */
	printf("%ld\n", n_run);
	printf("tptrace-tasks %d\n", 75);
	return 0;
}
