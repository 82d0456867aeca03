// SPDX-License-Identifier: MIT
/* tbb_group.cc - task_groups of task_groups. */
#include <oneapi/tbb/task_group.h>

#include "dags_tree.h"
#include "dags_tbb.hh"

static void task(int me)
{
	tbb::task_group group;

	dags_body(me);
	if (!dags_task[me].n_children)
		return;
	for (int k = 0; k < dags_task[me].n_children; k++)
		group.run([=] { task(dags_task[me].child[k]); });
	group.wait();
	dags_body(dags_task[me].last);
}

void dags_run(void)
{
	workers set;
	tbb::task_group group; /* what the thread does before its first task is not recorded */

	group.run([] { task(0); });
	group.wait();
}
