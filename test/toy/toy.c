/* SPDX-License-Identifier: MIT */
/*
 * toy.c - the toy runtime: one stack of tasks, and threads that take the newest.
 *
 * A thread that waits for a task runs others on top of what it waits in; no task changes thread.
 */
#include "test/toy/toy.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct toy_task {
	toy_fn fn;
	void *arg;
	bool done;
	struct toy_task *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* a task was created or has ended */
static struct toy_task *newest;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Runs the newest task, or waits for a change if there is none.  With the lock. */
static void run_or_wait(void)
{
	struct toy_task *task = newest;

	if (!task) {
		pthread_cond_wait(&changed, &lock);
		return;
	}
	newest = task->next;
	pthread_mutex_unlock(&lock);
	task->fn(task->arg);
	pthread_mutex_lock(&lock);
	task->done = true;
	pthread_cond_broadcast(&changed);
}

static void *work(void *unused)
{
	pthread_mutex_lock(&lock);
	for (;;)
		run_or_wait();
	return unused;
}

int toy_workers(void)
{
	const char *n = getenv("TOY_WORKERS");

	return n ? atoi(n) : 4;
}

static void start(void)
{
	pthread_t thread;

	for (int i = 1; i < toy_workers(); i++)
		pthread_create(&thread, NULL, work, NULL);
}

struct toy_task *toy_create(toy_fn fn, void *arg)
{
	struct toy_task *task = malloc(sizeof(*task));

	if (!task)
		abort();
	pthread_once(&once, start);
	pthread_mutex_lock(&lock);
	*task = (struct toy_task){ fn, arg, false, newest };
	newest = task;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return task;
}

void toy_wait(struct toy_task *task)
{
	pthread_mutex_lock(&lock);
	while (!task->done)
		run_or_wait();
	pthread_mutex_unlock(&lock);
	free(task);
}
