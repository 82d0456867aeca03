/* SPDX-License-Identifier: MIT */
/*
 * argobots.h - port.h over Argobots: threads in a pool of each execution stream, from which others
 * steal.  It has no dependences.
 *
 * The number of execution streams is $PORT_WORKERS: Argobots makes none but the first by itself.
 */
#pragma once

#include <abt.h>
#include <stdlib.h>

#define PORT_DEPENDS 0
#define PORT_NESTS 1

struct port_task {
	ABT_thread thread;
	struct port_task *next;
};

struct port_group {
	struct port_task *first, **last;
};

static struct {
	int n;
	ABT_pool *pool;
	ABT_xstream *stream;
} port_streams;

static inline void port_must(int status)
{
	if (status != ABT_SUCCESS)
		exit(1);
}

static inline void port_create(struct port_group *group, struct port_task *task,
			       void (*code)(void *), void *at)
{
	int rank;

	port_must(ABT_xstream_self_rank(&rank));
	port_must(ABT_thread_create(port_streams.pool[rank], code, at, ABT_THREAD_ATTR_NULL,
				    &task->thread));
	task->next = NULL;
	*group->last = task;
	group->last = &task->next;
}

static inline void port_wait(struct port_group *group)
{
	for (struct port_task *task = group->first; task; task = task->next)
		port_must(ABT_thread_free(&task->thread)); /* waits for its end */
	group->first = NULL;
	group->last = &group->first;
}

#define PORT_BODY(name, type)                                                                      \
	static void name(type *at);                                                                \
	static void name##_argobots(void *at)                                                      \
	{                                                                                          \
		name((type *)at);                                                                  \
	}
#define PORT_OPEN(group) struct port_group group = { NULL, &group.first }
#define PORT_CREATE(group, body, at) port_create(&(group), &(at)->task, body##_argobots, (at))
#define PORT_WAIT(group) port_wait(&(group))
#define PORT_CLOSE(group) (void)(group)
#define PORT_RUN(call) call

/* Its own pool first, then those of the others, at random. */
static inline ABT_sched port_scheduler(int rank)
{
	ABT_pool *mine = (ABT_pool *)calloc((size_t)port_streams.n, sizeof(ABT_pool));
	ABT_sched scheduler;

	for (int i = 0; mine && i < port_streams.n; i++)
		mine[i] = port_streams.pool[(rank + i) % port_streams.n];
	port_must(mine ? ABT_sched_create_basic(ABT_SCHED_RANDWS, port_streams.n, mine,
						ABT_SCHED_CONFIG_NULL, &scheduler) :
			 !ABT_SUCCESS);
	free(mine);
	return scheduler;
}

static inline void port_start(void)
{
	const char *workers = getenv("PORT_WORKERS");
	int n = workers && atoi(workers) > 0 ? atoi(workers) : 1;

	port_must(ABT_init(0, NULL));
	port_streams.n = n;
	port_streams.pool = (ABT_pool *)calloc((size_t)n, sizeof(ABT_pool));
	port_streams.stream = (ABT_xstream *)calloc((size_t)n, sizeof(ABT_xstream));
	port_must(port_streams.pool && port_streams.stream ? ABT_SUCCESS : !ABT_SUCCESS);
	for (int i = 0; i < n; i++)
		port_must(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_TRUE,
						&port_streams.pool[i]));
	port_must(ABT_xstream_self(&port_streams.stream[0]));
	port_must(ABT_xstream_set_main_sched(port_streams.stream[0], port_scheduler(0)));
	for (int i = 1; i < n; i++)
		port_must(ABT_xstream_create(port_scheduler(i), &port_streams.stream[i]));
}

static inline void port_stop(void)
{
	for (int i = 1; i < port_streams.n; i++)
		port_must(ABT_xstream_free(&port_streams.stream[i])); /* waits for its end */
	port_must(ABT_finalize());
	free(port_streams.pool);
	free(port_streams.stream);
}

static inline void port_counts(void)
{
}
