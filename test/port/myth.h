/* SPDX-License-Identifier: MIT */
/* myth.h - port.h over MassiveThreads: create and join.  It has no dependences. */
#pragma once

#include <myth/myth.h>

#define PORT_DEPENDS 0
#define PORT_NESTS 1

struct port_task {
	myth_thread_t thread;
	struct port_task *next;
};

struct port_group {
	struct port_task *first, **last;
};

static inline void port_add(struct port_group *group, struct port_task *task, myth_thread_t thread)
{
	task->thread = thread;
	task->next = NULL;
	*group->last = task;
	group->last = &task->next;
}

static inline void port_wait(struct port_group *group)
{
	for (struct port_task *task = group->first; task; task = task->next)
		myth_join(task->thread, NULL);
	group->first = NULL;
	group->last = &group->first;
}

#define PORT_BODY(name, type)                                                                      \
	static void name(type *at);                                                                \
	static void *name##_myth(void *at)                                                         \
	{                                                                                          \
		name((type *)at);                                                                  \
		return NULL;                                                                       \
	}
#define PORT_OPEN(group) struct port_group group = { NULL, &group.first }
#define PORT_CREATE(group, body, at) port_add(&(group), &(at)->task, myth_create(body##_myth, (at)))
#define PORT_WAIT(group) port_wait(&(group))
#define PORT_CLOSE(group) (void)(group)
#define PORT_RUN(call) call

static inline void port_start(void)
{
	myth_init();
}

static inline void port_stop(void)
{
	myth_fini();
}

static inline void port_counts(void)
{
}
