/* SPDX-License-Identifier: MIT */
/* Sequential consistency switched off: of a handle, of a task, of a task's one handle. */
#include "common.h"

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
		task = task_of(&add_cl, 1);
		task->handles[0] = hx;
		task->sequential_consistency = i % 2;
		MUST(starpu_task_submit(task));
		task = task_of(&two_cl, 10);
		task->handles[0] = hx;
		task->handles[1] = hy;
		task->handles_sequential_consistency = flags;
		MUST(starpu_task_submit(task));
	}
	starpu_task_wait_for_all();
	starpu_data_set_sequential_consistency_flag(hy, 0);
	for (int i = 0; i < 20; i++)
		insert(&add_cl, hy, 1000);
	starpu_task_wait_for_all();
	starpu_data_unregister(hy);
	starpu_data_unregister(hx);
	printf("%ld %ld\n", x, y);
	finish(60);
	return 0;
}
