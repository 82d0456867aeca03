/* SPDX-License-Identifier: MIT */
/*
 * task_needs.c - the header's dependences, one way by each fourth seed: a node needs a counter that
 * each of its predecessors releases; the node is after each of them; the counter is released on
 * behalf of each that has ended; the node reads what each of them writes.
 *
 * The runtime is main(), which runs the nodes that are ready in a random order.
 */
#include "shims/task/tptrace_task.h"

#include "dags.h"

static struct tptrace_runtime trace = { "dags", "1", 0 };
static tptrace_task_t task[DAGS_NODES];
static int counter[DAGS_NODES];

enum { RELEASES, IS_AFTER, RELEASED_BY, READS, WAYS };
static int way(void)
{
	return (int)(dags_seed % WAYS);
}

static void code(void)
{
}

static void create(int n)
{
	struct tptrace_here here;

	tptrace_task_create(&trace, &task[n], &here, code, NULL);
	counter[n] = dags_node[n].n_before;
	if (counter[n] && (way() == RELEASES || way() == RELEASED_BY))
		tptrace_task_needs(task[n], &counter[n]);
	for (int k = 0; k < counter[n]; k++)
		if (way() == IS_AFTER)
			tptrace_task_after(task[n], task[dags_node[n].before[k]]);
		else if (way() == READS)
			tptrace_task_access(task[n], &counter[dags_node[n].before[k]],
					    TPTRACE_ACCESS_READ);
	if (way() == READS)
		tptrace_task_access(task[n], &counter[n], TPTRACE_ACCESS_WRITE);
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
