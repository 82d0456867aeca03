/* SPDX-License-Identifier: MIT */
/* steal.h - port.h over the work-stealing runtime that marks what it does (tptrace_task.h). */
#pragma once

#include <stdlib.h>
#include "test/steal/steal.h"

#define PORT_DEPENDS 1
#define PORT_NESTS 1

struct port_task {
	struct steal_task task;
};

#define PORT_BODY(name, type)                                                                      \
	static void name(type *at);                                                                \
	static void name##_steal(void *at)                                                         \
	{                                                                                          \
		name((type *)at);                                                                  \
	}
#define PORT_OPEN(group) struct steal_group group = { { 0 }, 0, NULL }
#define PORT_CREATE(group, body, at) steal_spawn(&(at)->task.task, &(group), body##_steal, (at))
#define PORT_CREATE_AFTER(group, body, at, first, second)                                          \
	steal_spawn_after(                                                                         \
		&(at)->task.task, &(group), body##_steal, (at),                                    \
		(struct steal_task *const[]){ &(first)->task.task, &(second)->task.task }, 2)
#define PORT_WAIT(group) steal_wait(&(group))
#define PORT_CLOSE(group) (void)(group)
#define PORT_RUN(call) call

static inline void port_start(void)
{
	const char *n = getenv("STEAL_WORKERS");

	steal_start(n ? (unsigned)atoi(n) : 2);
}

static inline void port_stop(void)
{
	steal_stop();
}

static inline void port_counts(void)
{
}
