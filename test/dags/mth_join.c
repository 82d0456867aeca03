/* SPDX-License-Identifier: MIT */
/* mth_join.c - threads that join their children. */
#include <myth/myth.h>

#include "dags_tree.h"

static void *task(void *at)
{
	int me = (int)(intptr_t)at;
	myth_thread_t child[DAGS_BEFORE];

	dags_body(me);
	if (dags_task[me].n_children == 0)
		return NULL;
	for (int k = 0; k < dags_task[me].n_children; k++)
		child[k] = myth_create(task, (void *)(intptr_t)dags_task[me].child[k]);
	for (int k = 0; k < dags_task[me].n_children; k++)
		myth_join(child[k], NULL);
	dags_body(dags_task[me].last);
	return NULL;
}

void dags_run(void)
{
	myth_join(myth_create(task, NULL), NULL); /* a thread's code before its first is not seen */
}
