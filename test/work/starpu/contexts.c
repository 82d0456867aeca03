/* SPDX-License-Identifier: MIT */
/* Scheduling contexts: tasks in two of them, waits for one and for all. */
#include "common.h"

int main(void)
{
	int worker[1] = { 0 };
	unsigned ctx;

	begin();
	ctx = starpu_sched_ctx_create(worker, 1, "other", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
	for (int i = 0; i < 20; i++)
		MUST(starpu_task_submit_to_ctx(task_of(&run_cl, 1), ctx));
	MUST(starpu_task_wait_for_all_in_ctx(ctx));
	printf("%ld\n", n_run);
	for (int i = 0; i < 20; i++)
		MUST(starpu_task_submit_to_ctx(task_of(&run_cl, 1), ctx));
	starpu_sched_ctx_set_context(&ctx);
	for (int i = 0; i < 20; i++)
		MUST(starpu_task_submit(task_of(&run_cl, 1)));
	MUST(starpu_task_wait_for_all());
	printf("%ld\n", n_run);
	starpu_sched_ctx_delete(ctx);
	finish(60);
	return 0;
}
