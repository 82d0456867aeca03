/* SPDX-License-Identifier: MIT */
/* starpu_task_submit(): tasks that are destroyed by StarPU, by the program, or used again. */
#include "common.h"

int main(void)
{
	struct starpu_task still, *task;

	begin();
	for (int i = 0; i < 20; i++) /* detached and destroyed */
		MUST(starpu_task_submit(task_of(&run_cl, 1)));
	task = task_of(&run_cl, 100); /* waited for, and destroyed then */
	task->detach = 0;
	MUST(starpu_task_submit(task));
	MUST(starpu_task_wait(task));
	task = task_of(&run_cl, 1000); /* kept */
	task->detach = 0;
	task->destroy = 0;
	MUST(starpu_task_submit(task));
	MUST(starpu_task_wait(task));
	MUST(starpu_task_submit(task));
	MUST(starpu_task_wait(task));
	starpu_task_destroy(task);
	starpu_task_init(&still); /* on the stack */
	still.cl = &run_cl;
	still.cl_arg = (void *)(intptr_t)10000;
	still.detach = 0;
	for (int i = 0; i < 3; i++) {
		MUST(starpu_task_submit(&still));
		MUST(starpu_task_wait(&still));
	}
	starpu_task_clean(&still);
	MUST(starpu_task_submit_to_ctx(task_of(&run_cl, 100000), 0));
	starpu_task_wait_for_all();
	printf("%ld\n", n_run);
	finish(20 + 1 + 2 + 3 + 1);
	return 0;
}
