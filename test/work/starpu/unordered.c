/* SPDX-License-Identifier: MIT */
/* Sequential consistency switched off: of a handle, of a task, of a task's one handle. */
#include "common.h"

static void add(void *buffers[], void *arg)
{
	spin(5000);
	*number_of(buffers[0]) += (long)(intptr_t)arg;
}
static struct starpu_codelet add_cl = {
	.cpu_funcs = { add }, .nbuffers = 1, .modes = { STARPU_RW }, .name = "add"
};

static void add_two(void *buffers[], void *arg)
{
	*number_of(buffers[0]) += (long)(intptr_t)arg;
	*number_of(buffers[1]) += (long)(intptr_t)arg;
}
static struct starpu_codelet two_cl = { .cpu_funcs = { add_two },
					.nbuffers = 2,
					.modes = { STARPU_RW, STARPU_RW },
					.name = "add two" };

int main(void)
{
	long x = 0, y = 0;
	starpu_data_handle_t hx, hy;
	unsigned char flags[2] = { 0, 1 };
	struct starpu_task *task;

	begin();
	hx = number(&x);
	hy = number(&y);
	for (int i = 0; i < 20; i++) {
		task = starpu_task_create();
		task->cl = &add_cl;
		task->handles[0] = hx;
		task->cl_arg = (void *)(intptr_t)1;
		task->sequential_consistency = i % 2;
		MUST(starpu_task_submit(task));
		task = starpu_task_create();
		task->cl = &two_cl;
		task->handles[0] = hx;
		task->handles[1] = hy;
		task->handles_sequential_consistency = flags;
		task->cl_arg = (void *)(intptr_t)10;
		MUST(starpu_task_submit(task));
	}
	starpu_task_wait_for_all();
	starpu_data_set_sequential_consistency_flag(hy, 0);
	for (int i = 0; i < 20; i++)
		MUST(starpu_task_insert(&add_cl, STARPU_RW, hy, STARPU_CL_ARGS_NFREE,
					(void *)(intptr_t)1000, sizeof(long), 0));
	starpu_task_wait_for_all();
	starpu_data_unregister(hy);
	starpu_data_unregister(hx);
	printf("%ld %ld\n", x, y);
	finish(60);
	return 0;
}
