/* SPDX-License-Identifier: MIT */
/* omp_tree.c - tasks that wait for their children, by taskwait or taskgroup. */
#include "dags_tree.h"

static void task(int me)
{
	dags_body(me);
	if (dags_task[me].n_children == 0)
		return;
	if (me % 2) {
#pragma omp taskgroup
		for (int k = 0; k < dags_task[me].n_children; k++) {
#pragma omp task
			task(dags_task[me].child[k]);
		}
	} else {
		for (int k = 0; k < dags_task[me].n_children; k++) {
#pragma omp task
			task(dags_task[me].child[k]);
		}
#pragma omp taskwait
	}
	dags_body(dags_task[me].last);
}

void dags_run(void)
{
#pragma omp parallel
#pragma omp single
	task(0);
}
