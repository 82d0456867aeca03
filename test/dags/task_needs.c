/* SPDX-License-Identifier: MIT */
/*
 * task_needs.c - the header's counters: a node needs one that each of its predecessors releases;
 * by every third seed, that who runs the nodes releases for each that has ended.  By every other
 * third a node is said to be after each of them.
 *
 * The runtime is main(), which runs the nodes that are ready in a random order.
 */
#include "shims/task/tptrace_task.h"

#include "dags.h"

static struct tptrace_runtime trace = { "dags", "1", 0 };
static tptrace_task_t task[DAGS_NODES];
static int counter[DAGS_NODES];

enum { RELEASES, IS_AFTER, RELEASED_BY };
static int way(void)
{
	return (int)(dags_seed % 3);
}

static void code(void)
{
}

static void create(int n)
{
	struct tptrace_here here;

	tptrace_task_create(&trace, &task[n], &here, code, NULL);
	counter[n] = dags_node[n].n_before;
	if (counter[n] && way() != IS_AFTER)
		tptrace_task_needs(task[n], &counter[n]);
	for (int k = 0; k < counter[n] && way() == IS_AFTER; k++)
		tptrace_task_after(task[n], task[dags_node[n].before[k]]);
	tptrace_task_resume(&here);
}

static void release(int n, const int *object, struct tptrace_here *here)
{
	if (way() == RELEASED_BY)
		tptrace_task_release_by(task[n], object);
	if (way() != RELEASES)
		return;
	tptrace_task_release(here, object);
	tptrace_task_resume(here);
}

static void release_after(int n, struct tptrace_here *here)
{
	for (int i = n + 1; i < dags_n; i++)
		for (int k = 0; k < dags_node[i].n_before; k++)
			if (dags_node[i].before[k] == n) {
				counter[i]--;
				release(n, &counter[i], here);
			}
}

static void run(int n)
{
	struct tptrace_here here;

	tptrace_task_begin(&task[n], &here);
	dags_body(n);
	if (way() != RELEASED_BY)
		release_after(n, &here);
	tptrace_task_end(&here);
	if (way() == RELEASED_BY)
		release_after(n, &here);
}

void dags_run(void)
{
	struct tptrace_here here;
	char ran[DAGS_NODES] = { 0 };

	for (int i = 0; i < dags_n; i++)
		create(i);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_CHILDREN, NULL, NULL);
	for (int left = dags_n; left > 0;) {
		int i = (int)dags_random((unsigned)dags_n);

		if (ran[i] || counter[i])
			continue;
		run(i);
		ran[i] = 1;
		left--;
	}
	tptrace_task_resume(&here);
}
