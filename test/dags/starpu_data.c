/* SPDX-License-Identifier: MIT */
/* starpu_data.c - data handles: a node writes its own and reads those of its predecessors. */
#include <starpu.h>

#include "dags.h"

static char out[DAGS_NODES];
static starpu_data_handle_t handle[DAGS_NODES];

static void body(void **buffers, void *at)
{
	(void)buffers;
	dags_body((int)(intptr_t)at);
}

static struct starpu_codelet codelet = { .cpu_funcs = { body },
					 .nbuffers = STARPU_VARIABLE_NBUFFERS,
					 .name = "body" };

void dags_run(void)
{
	if (starpu_init(NULL) != 0)
		exit(77);
	for (int i = 0; i < dags_n; i++) {
		struct starpu_task *task = starpu_task_create();
		int n = dags_node[i].n_before;

		starpu_variable_data_register(&handle[i], STARPU_MAIN_RAM, (uintptr_t)&out[i], 1);
		task->cl = &codelet;
		task->cl_arg = (void *)(intptr_t)i;
		task->nbuffers = n + 1;
		for (int k = 0; k < n; k++) {
			task->handles[k] = handle[dags_node[i].before[k]];
			task->modes[k] = STARPU_R;
		}
		task->handles[n] = handle[i];
		task->modes[n] = STARPU_W;
		if (starpu_task_submit(task) != 0)
			exit(1);
	}
	starpu_task_wait_for_all();
	for (int i = 0; i < dags_n; i++)
		starpu_data_unregister(handle[i]);
	starpu_shutdown();
}
