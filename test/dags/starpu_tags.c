/* SPDX-License-Identifier: MIT */
/* starpu_tags.c - dependences among tags, declared before the tasks are there; by odd seeds, among
 * tasks. */
#include <starpu.h>

#include "dags.h"

static void body(void **buffers, void *at)
{
	(void)buffers;
	dags_body((int)(intptr_t)at);
}

static struct starpu_codelet codelet = { .cpu_funcs = { body }, .name = "body" };

static struct starpu_task *task[DAGS_NODES];

static void after_tasks(int i)
{
	struct starpu_task *before[DAGS_BEFORE];

	for (int k = 0; k < dags_node[i].n_before; k++)
		before[k] = task[dags_node[i].before[k]];
	if (dags_node[i].n_before)
		starpu_task_declare_deps_array(task[i], (unsigned)dags_node[i].n_before, before);
}

static void after_tags(int i)
{
	starpu_tag_t before[DAGS_BEFORE];

	for (int k = 0; k < dags_node[i].n_before; k++)
		before[k] = (starpu_tag_t)dags_node[i].before[k] + 1;
	if (dags_node[i].n_before)
		starpu_tag_declare_deps_array((starpu_tag_t)i + 1, (unsigned)dags_node[i].n_before,
					      before);
	task[i]->use_tag = 1;
	task[i]->tag_id = (starpu_tag_t)i + 1;
}

void dags_run(void)
{
	if (starpu_init(NULL) != 0)
		exit(77);
	for (int i = 0; i < dags_n; i++) {
		task[i] = starpu_task_create();
		task[i]->cl = &codelet;
		task[i]->cl_arg = (void *)(intptr_t)i;
		task[i]->destroy = 0; /* those after it name it */
		if (dags_seed % 2)
			after_tasks(i);
		else
			after_tags(i);
	}
	for (int i = 0; i < dags_n; i++)
		if (starpu_task_submit(task[i]) != 0)
			exit(1);
	starpu_task_wait_for_all();
	for (int i = 0; i < dags_n; i++)
		starpu_task_destroy(task[i]);
	starpu_shutdown();
}
