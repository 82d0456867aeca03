/* SPDX-License-Identifier: MIT */
/* Implicit dependences of all modes of access. */
#include "common.h"

static void set(void *buffers[], void *arg)
{
	*number_of(buffers[0]) = (long)(intptr_t)arg;
}
static struct starpu_codelet set_cl = ON_NUMBER(set, STARPU_W, "set");
static struct starpu_codelet commute_cl =
	ON_NUMBER(add, STARPU_RW | STARPU_COMMUTE, "add in any order");

static void combine(void *buffers[], void *arg)
{
	*number_of(buffers[0]) += *number_of(buffers[1]);
}
static struct starpu_codelet combine_cl = {
	.cpu_funcs = { combine }, .nbuffers = 2, .modes = { STARPU_RW, STARPU_R }, .name = "combine"
};

static void copy(void *buffers[], void *arg)
{
	long *scratch = number_of(buffers[2]);

	*scratch = *number_of(buffers[1]);
	spin(3000);
	*number_of(buffers[0]) = *scratch;
}
static struct starpu_codelet copy_cl = { .cpu_funcs = { copy },
					 .nbuffers = 3,
					 .modes = { STARPU_W, STARPU_R, STARPU_SCRATCH },
					 .name = "copy" };

static void submit(struct starpu_codelet *cl, starpu_data_handle_t handle, long arg)
{
	struct starpu_task *task = task_of(cl, arg);

	task->handles[0] = handle;
	MUST(starpu_task_submit(task));
}

int main(void)
{
	long x = 0, y[8] = { 0 }, z = 5, total = 0;
	starpu_data_handle_t hx, hz, scratch, hy[8];

	begin();
	hx = number(&x);
	hz = number(&z);
	starpu_variable_data_register(&scratch, -1, 0, sizeof(long));
	for (int i = 0; i < 8; i++)
		hy[i] = number(&y[i]);
	for (int round = 0; round < 5; round++) {
		submit(&set_cl, hx, round);
		for (int i = 0; i < 4; i++)
			submit(&add_cl, hx, 10);
		for (int i = 0; i < 8; i++) /* readers, each into its own */
			MUST(starpu_task_insert(&copy_cl, STARPU_W, hy[i], STARPU_R, hx,
						STARPU_SCRATCH, scratch, 0));
		for (int i = 0; i < 8; i++)
			submit(&commute_cl, hx, 100);
		/* the same data twice in one task */
		MUST(starpu_task_insert(&combine_cl, STARPU_RW, hy[round], STARPU_R, hy[round], 0));
		submit(&add_cl, hx, 1000);
	}
	starpu_data_unregister(hx);
	for (int i = 0; i < 8; i++) {
		starpu_data_unregister(hy[i]);
		total += y[i];
	}
	printf("%ld %ld\n", x, total);
	starpu_data_unregister(scratch);
	starpu_data_unregister(hz);
	finish(5 * (1 + 4 + 8 + 8 + 1 + 1));
	return 0;
}
