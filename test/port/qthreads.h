/* SPDX-License-Identifier: MIT */
/* qthreads.h - port.h over Qthreads: full/empty bits of the return words. */
#pragma once

#include <qthread/qthread.h>

#define PORT_DEPENDS 1
#define PORT_NESTS 1

struct port_task {
	aligned_t done; /* empty from the fork to its end; a word that nobody touched is full */
	struct port_task *next;
};

struct port_group {
	struct port_task *first, **last;
};

static inline struct port_task *port_add(struct port_group *group, struct port_task *task)
{
	task->next = NULL;
	*group->last = task;
	group->last = &task->next;
	return task;
}

static inline void port_wait(struct port_group *group)
{
	for (struct port_task *task = group->first; task; task = task->next)
		qthread_readFF(NULL, &task->done);
	group->first = NULL;
	group->last = &group->first;
}

#define PORT_BODY(name, type)                                                                      \
	static void name(type *at);                                                                \
	static aligned_t name##_qthread(void *at)                                                  \
	{                                                                                          \
		name((type *)at);                                                                  \
		return 0;                                                                          \
	}
#define PORT_OPEN(group) struct port_group group = { NULL, &group.first }
#define PORT_CREATE(group, body, at)                                                               \
	qthread_fork(body##_qthread, (at), &port_add(&(group), &(at)->task)->done)
#define PORT_CREATE_AFTER(group, body, at, a, b)                                                   \
	qthread_fork_precond(body##_qthread, (at), &port_add(&(group), &(at)->task)->done, 2,      \
			     &(a)->task.done, &(b)->task.done)
#define PORT_WAIT(group) port_wait(&(group))
#define PORT_CLOSE(group) (void)(group)
#define PORT_RUN(call) call

static inline void port_start(void)
{
	if (qthread_initialize() != 0)
		exit(1);
}

static inline void port_stop(void)
{
	qthread_finalize();
}

static inline void port_counts(void)
{
}
