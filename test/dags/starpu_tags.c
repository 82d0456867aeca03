/* SPDX-License-Identifier: MIT */
/* starpu_tags.c - tags, and dependences among them that are declared before the tasks are there. */
#include <starpu.h>

#include "dags.h"

static void body(void **buffers, void *at)
{
	(void)buffers;
	dags_body((int)(intptr_t)at);
}

static struct starpu_codelet codelet = { .cpu_funcs = { body }, .name = "body" };

void dags_run(void)
{
	if (starpu_init(NULL) != 0)
		exit(77);
	for (int i = 0; i < dags_n; i++) {
		starpu_tag_t before[DAGS_BEFORE];

		for (int k = 0; k < dags_node[i].n_before; k++)
			before[k] = (starpu_tag_t)dags_node[i].before[k] + 1;
		if (dags_node[i].n_before)
			starpu_tag_declare_deps_array((starpu_tag_t)i + 1,
						      (unsigned)dags_node[i].n_before, before);
	}
	for (int i = 0; i < dags_n; i++) {
		struct starpu_task *task = starpu_task_create();

		task->cl = &codelet;
		task->cl_arg = (void *)(intptr_t)i;
		task->use_tag = 1;
		task->tag_id = (starpu_tag_t)i + 1;
		if (starpu_task_submit(task) != 0)
			exit(1);
	}
	starpu_task_wait_for_all();
	starpu_shutdown();
}
