/* SPDX-License-Identifier: MIT */
/*
 * serial.h - the reference for port.h: a task is a call, and what it makes of the graph is counted.
 *
 * Counted as in tools/analysis/shape.h, by the definitions, and not from any trace.  With
 * PORT_DEPENDS or PORT_NESTS 0 it counts what runtimes without them get.
 */
#pragma once

#include <stdio.h>

#ifndef PORT_DEPENDS
#define PORT_DEPENDS 1
#endif
#ifndef PORT_NESTS
#define PORT_NESTS 1
#endif

struct port_task {
	unsigned span; /* the most tasks on a path to its end */
};

struct port_group {
	unsigned span, n_open;
};

static struct {
	unsigned span; /* the most tasks on a path to this point */
	unsigned most, depth;
	long create, create_cont, join, depend;
	long wait_cont; /* if a group is waited for at once */
	long wait_each; /* if each of its tasks is */
	long wait_some; /* if a group without tasks is not */
} port_count;

/* Begins a task; returns what its creator goes on with. */
static inline unsigned port_enter(const struct port_task *a, const struct port_task *b)
{
	unsigned before = port_count.span;
	const struct port_task *after[2] = { a, b };

	for (int i = 0; i < 2; i++) {
		if (!after[i] || !after[i]->span)
			continue;
		port_count.depend++;
		if (after[i]->span > port_count.span)
			port_count.span = after[i]->span;
	}
	if (++port_count.span > port_count.most)
		port_count.most = port_count.span;
	port_count.create++;
	port_count.create_cont += port_count.depth != 0;
	port_count.depth++;
	return before;
}

static inline void port_leave(struct port_group *group, struct port_task *task, unsigned before)
{
	task->span = port_count.span;
	if (task->span > group->span)
		group->span = task->span;
	group->n_open++;
	port_count.join++;
	port_count.depth--;
	port_count.span = before;
}

static inline void port_wait(struct port_group *group)
{
	if (group->span > port_count.span)
		port_count.span = group->span;
	port_count.wait_cont += port_count.depth != 0;
	port_count.wait_each += port_count.depth ? group->n_open : 0;
	port_count.wait_some += port_count.depth && group->n_open;
	group->n_open = 0;
}

#define PORT_BODY(name, type) static void name(type *at);
#define PORT_OPEN(group) struct port_group group = { 0, 0 }
#define PORT_CREATE(group, body, at) PORT_CALL(group, body, at, NULL, NULL)
#define PORT_CREATE_AFTER(group, body, at, a, b) PORT_CALL(group, body, at, &(a)->task, &(b)->task)
#define PORT_CALL(group, body, at, a, b)                                                           \
	do {                                                                                       \
		unsigned port_before = port_enter(a, b);                                           \
		body(at);                                                                          \
		port_leave(&(group), &(at)->task, port_before);                                    \
	} while (0)
#define PORT_WAIT(group) port_wait(&(group))
#define PORT_CLOSE(group) (void)(group)
#define PORT_RUN(call) call

static inline void port_start(void)
{
}

static inline void port_stop(void)
{
}

static inline void port_counts(void)
{
	printf("port-counts create %ld create_cont %ld wait_cont %ld wait_each %ld wait_some %ld "
	       "join %ld depend %ld span_tasks %u\n",
	       port_count.create, port_count.create_cont, port_count.wait_cont,
	       port_count.wait_each, port_count.wait_some, port_count.join, port_count.depend,
	       port_count.most);
}
