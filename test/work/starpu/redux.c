/* SPDX-License-Identifier: MIT */
/* Reductions: how many tasks they take is up to StarPU. */
#include "common.h"

static struct starpu_codelet redux_cl = ON_NUMBER(add, STARPU_REDUX, "add");

static void zero(void *buffers[], void *arg)
{
	*number_of(buffers[0]) = 0;
}
static struct starpu_codelet zero_cl = ON_NUMBER(zero, STARPU_W, "zero");

static void combine(void *buffers[], void *arg)
{
	*number_of(buffers[0]) += *number_of(buffers[1]);
}
static struct starpu_codelet combine_cl = {
	.cpu_funcs = { combine }, .nbuffers = 2, .modes = { STARPU_RW, STARPU_R }, .name = "combine"
};

static void double_it(void *buffers[], void *arg)
{
	*number_of(buffers[0]) *= 2;
}
static struct starpu_codelet double_cl = ON_NUMBER(double_it, STARPU_RW, "double");

int main(void)
{
	long x = 1;
	starpu_data_handle_t handle = begin_with(&x);

	starpu_data_set_reduction_methods(handle, &combine_cl, &zero_cl);
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < 20; i++) {
			struct starpu_task *task = task_of(&redux_cl, 1);

			task->handles[0] = handle;
			MUST(starpu_task_submit(task));
		}
		MUST(starpu_task_insert(&double_cl, STARPU_RW, handle, 0));
	}
	starpu_data_unregister(handle);
	printf("%ld\n", x);
	starpu_shutdown();
	return 0;
}
