/* SPDX-License-Identifier: MIT */
/* qth_read.c - full/empty bits: a node's own code waits for the words of its predecessors. */
#include <qthread/qthread.h>

#include "dags.h"

static aligned_t done[DAGS_NODES];

static aligned_t body(void *at)
{
	int i = (int)(intptr_t)at;

	for (int k = 0; k < dags_node[i].n_before; k++)
		qthread_readFF(NULL, &done[dags_node[i].before[k]]);
	dags_body(i);
	qthread_writeEF_const(&done[i], 1);
	return 0;
}

void dags_run(void)
{
	if (qthread_initialize() != 0)
		exit(77);
	for (int i = 0; i < dags_n; i++)
		qthread_empty(&done[i]);
	for (int i = dags_n - 1; i >= 0; i--)
		qthread_fork(body, (void *)(intptr_t)i, NULL);
	for (int i = 0; i < dags_n; i++)
		qthread_readFF(NULL, &done[i]);
	qthread_finalize();
}
