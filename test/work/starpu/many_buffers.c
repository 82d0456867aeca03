/* SPDX-License-Identifier: MIT */
/* More data than a task has room for, and codelets for any number of them. */
#include "common.h"

#define MANY 20

static void sum(void *buffers[], void *arg)
{
	long total = 0;
	int n = (int)(intptr_t)arg;

	for (int i = 1; i < n; i++)
		total += *number_of(buffers[i]);
	*number_of(buffers[0]) += total;
}

static enum starpu_data_access_mode many_modes[MANY];
static struct starpu_codelet many_cl = {
	.cpu_funcs = { sum }, .nbuffers = MANY, .dyn_modes = many_modes, .name = "many"
};
static struct starpu_codelet any_cl = { .cpu_funcs = { sum },
					.nbuffers = STARPU_VARIABLE_NBUFFERS,
					.name = "any number" };

int main(void)
{
	long x[MANY];
	starpu_data_handle_t handle[MANY];
	struct starpu_data_descr descr[MANY];
	struct starpu_task *task;
	int n = MANY;

	begin();
	for (int i = 0; i < MANY; i++) {
		x[i] = i;
		handle[i] = number(&x[i]);
	}
	for (int i = 0; i < MANY; i++) {
		many_modes[i] = i ? STARPU_R : STARPU_RW;
		descr[i].handle = handle[MANY - 1 - i];
		descr[i].mode = i ? STARPU_R : STARPU_RW;
	}
	for (int round = 0; round < 3; round++) {
		task = starpu_task_create();
		task->cl = &many_cl;
		task->cl_arg = (void *)(intptr_t)n;
		task->dyn_handles = malloc(MANY * sizeof(handle[0]));
		memcpy(task->dyn_handles, handle, sizeof(handle));
		MUST(starpu_task_submit(task));
		MUST(starpu_task_insert(&any_cl, STARPU_DATA_MODE_ARRAY, descr, MANY,
					STARPU_CL_ARGS_NFREE, (void *)(intptr_t)n, sizeof(n), 0));
		task = starpu_task_create(); /* few, of an arbitrary number */
		task->cl = &any_cl;
		task->nbuffers = 2;
		task->handles[0] = handle[3];
		task->modes[0] = STARPU_RW;
		task->handles[1] = handle[0];
		task->modes[1] = STARPU_R;
		task->cl_arg = (void *)(intptr_t)2;
		MUST(starpu_task_submit(task));
	}
	for (int i = 0; i < MANY; i++)
		starpu_data_unregister(handle[i]);
	printf("%ld %ld %ld\n", x[0], x[3], x[MANY - 1]);
	finish(3 * 3);
	return 0;
}
