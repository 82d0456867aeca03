/* SPDX-License-Identifier: MIT */
// part-of: plugin.c
#include "common.h"

static void add(void *buffers[], void *arg)
{
	*number_of(buffers[0]) += 1;
}
static struct starpu_codelet cl = {
	.cpu_funcs = { add }, .nbuffers = 1, .modes = { STARPU_RW }, .name = "add"
};

long plugin_run(int n);
long plugin_run(int n)
{
	long x = 0;
	starpu_data_handle_t handle;

	begin();
	handle = number(&x);
	for (int i = 0; i < n; i++)
		MUST(starpu_task_insert(&cl, STARPU_RW, handle, 0));
	starpu_data_unregister(handle);
	starpu_shutdown();
	return x;
}
