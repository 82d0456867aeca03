/* SPDX-License-Identifier: MIT */
/* qth_precond.c - full/empty bits: a node begins when the words of its predecessors are full. */
#include <qthread/qthread.h>

#include "dags.h"

static aligned_t done[DAGS_NODES];

static aligned_t body(void *at)
{
	dags_body((int)(intptr_t)at);
	return 0;
}

void dags_run(void)
{
	if (qthread_initialize() != 0)
		exit(77);
	for (int i = 0; i < dags_n; i++) {
		const int *from = dags_node[i].before;
		void *at = (void *)(intptr_t)i;

		switch (dags_node[i].n_before) {
		case 0:
			qthread_fork(body, at, &done[i]);
			break;
		case 1:
			qthread_fork_precond(body, at, &done[i], 1, &done[from[0]]);
			break;
		case 2:
			qthread_fork_precond(body, at, &done[i], 2, &done[from[0]], &done[from[1]]);
			break;
		case 3:
			qthread_fork_precond(body, at, &done[i], 3, &done[from[0]], &done[from[1]],
					     &done[from[2]]);
			break;
		default:
			qthread_fork_precond(body, at, &done[i], 4, &done[from[0]], &done[from[1]],
					     &done[from[2]], &done[from[3]]);
		}
	}
	for (int i = 0; i < dags_n; i++)
		qthread_readFF(NULL, &done[i]);
	qthread_finalize();
}
