/* SPDX-License-Identifier: MIT */
/*
 * pth_threads.c - threads that main() makes, some before there is any task, and joins in any order.
 *
 * Each is a node, and so is what main() does between two calls.  What a thread does before its
 * first task is not seen, so that it makes an empty one first; nor is what main() does before that.
 */
#include <pthread.h>
#include <string.h>

#include "shims/task/tptrace_task.h"

#include "dags.h"

#define THREADS 4
static struct tptrace_runtime trace = { "dags", "1", 0 };
static pthread_t thread[THREADS];
static int node_of[THREADS];
static int last; /* the thread that is joined last: the window ends with it */
static _Atomic int n_begun, n_done;

static void *run(void *at)
{
	tptrace_task_t task;
	struct tptrace_here here, inner;

	tptrace_task_create(&trace, &task, &here, (tptrace_code_t)run, NULL);
	tptrace_task_resume(&here);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_CHILDREN, NULL, NULL);
	tptrace_task_begin(&task, &inner);
	tptrace_task_end(&inner);
	tptrace_task_resume(&here);
	n_begun++;
	dags_body(*(int *)at);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_OBJECT, &n_begun, NULL);
	while (n_begun < THREADS || (at == &node_of[last] && !n_done)) /* a worker each */
		;
	tptrace_task_resume(&here);
	return NULL;
}

static void make(int i)
{
	node_of[i] = dags_n++;
	pthread_create(&thread[i], NULL, run, &node_of[i]);
}

static int own_node(int before)
{
	int me = dags_n++;

	if (before >= 0)
		dags_link(before, me);
	dags_node[me].count |= 16384; /* the graph that it was made for may have been smaller */
	dags_body(me);
	return me;
}

void dags_run(void)
{
	int n_early = 1 + (int)dags_random(THREADS), joined[THREADS] = { 0 }, me;

	memset(dags_edge, 0, sizeof(dags_edge));
	dags_n = 0;
	last = (int)dags_random(THREADS);
	if (dags_seed % 4 == 3) /* it has a worker then, and no task */
		tptrace_task_no_worker();
	for (int i = 0; i < n_early; i++)
		make(i);
	while (!n_begun)
		;
	me = own_node(-1);
	for (int i = n_early; i < THREADS; i++) {
		dags_link(me, dags_n);
		make(i);
		me = own_node(me);
	}
	for (int left = THREADS; left > 1;) {
		int i = (int)dags_random(THREADS);

		if (i == last || joined[i]++)
			continue;
		pthread_join(thread[i], NULL);
		dags_link(node_of[i], dags_n);
		me = own_node(me);
		left--;
	}
	n_done = 1;
	pthread_join(thread[last], NULL);
}
