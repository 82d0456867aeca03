/* SPDX-License-Identifier: MIT */
/* qth_read.c - a node's own code waits: for the words of its predecessors, or, by odd seeds, for a
 * sinc to which each of them submits. */
#include <qthread/qthread.h>
#include <qthread/sinc.h>

#include "dags.h"

static aligned_t done[DAGS_NODES];
static qt_sinc_t *before[DAGS_NODES];

static int by_sinc(int node)
{
	return dags_seed % 2 && dags_node[node].n_before;
}

static void submit(int me)
{
	for (int i = me + 1; i < dags_n; i++)
		for (int k = 0; k < dags_node[i].n_before && by_sinc(i); k++)
			if (dags_node[i].before[k] == me)
				qt_sinc_submit(before[i], NULL);
}

static aligned_t body(void *at)
{
	int i = (int)(intptr_t)at;

	if (by_sinc(i))
		qt_sinc_wait(before[i], NULL);
	for (int k = 0; k < dags_node[i].n_before && !by_sinc(i); k++)
		qthread_readFF(NULL, &done[dags_node[i].before[k]]);
	dags_body(i);
	submit(i);
	qthread_writeEF_const(&done[i], 1);
	return 0;
}

void dags_run(void)
{
	if (qthread_initialize() != 0)
		exit(77);
	for (int i = 0; i < dags_n; i++) {
		qthread_empty(&done[i]);
		if (by_sinc(i))
			before[i] = qt_sinc_create(0, NULL, NULL, (size_t)dags_node[i].n_before);
	}
	for (int i = dags_n - 1; i >= 0; i--)
		qthread_fork(body, (void *)(intptr_t)i, NULL);
	for (int i = 0; i < dags_n; i++)
		qthread_readFF(NULL, &done[i]);
	qthread_finalize();
}
