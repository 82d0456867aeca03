/* SPDX-License-Identifier: MIT */
/* Scheduling contexts: tasks in two of them, waits for one and for all. */
#include "common.h"

static long n_run;

static void run(void *buffers[], void *arg)
{
	spin(10000);
	__atomic_fetch_add(&n_run, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet cl = { .cpu_funcs = { run }, .name = "run" };

static void submit(unsigned ctx)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = &cl;
	MUST(starpu_task_submit_to_ctx(task, ctx));
}

int main(void)
{
	int worker[1] = { 0 };
	unsigned ctx;

	begin();
	ctx = starpu_sched_ctx_create(worker, 1, "other", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
	for (int i = 0; i < 20; i++)
		submit(ctx);
	MUST(starpu_task_wait_for_all_in_ctx(ctx));
	printf("%ld\n", n_run);
	for (int i = 0; i < 20; i++)
		submit(ctx);
	starpu_sched_ctx_set_context(&ctx);
	for (int i = 0; i < 20; i++)
		MUST(starpu_task_insert(&cl, 0));
	MUST(starpu_task_wait_for_all());
	printf("%ld\n", n_run);
	starpu_sched_ctx_delete(ctx);
	finish(60);
	return 0;
}
