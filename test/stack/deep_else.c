/* SPDX-License-Identifier: MIT */
/*
 * deep_else.c N - deep.c on other runtimes; -DNEST_QTH .. say which.
 *
 * Tasks of Qthreads and MassiveThreads have stacks of their own: one of 256 KiB (the runtime's
 * variable) holds N calls, each of which has called the runtime, and a child at the bottom.
 */
#include <stdio.h>
#include <stdlib.h>

#ifdef NEST_MARKS
#include "shims/task/tptrace_task.h"

static struct tptrace_runtime trace = { "deep", "1", 0 };

static void chain(int n)
{
	struct tptrace_here here, inside;
	tptrace_task_t task = 0;

	if (!n)
		return;
	tptrace_task_create(&trace, &task, &here, (tptrace_code_t)chain, TPTRACE_TASK_CALLER);
	tptrace_task_resume(&here);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_CHILDREN, 0, TPTRACE_TASK_CALLER);
	tptrace_task_begin(&task, &inside);
	chain(n - 1);
	tptrace_task_end(&inside);
	tptrace_task_resume(&here);
}
#elif defined(NEST_QTH)
#include <qthread/qthread.h>

static aligned_t leaf(void *arg)
{
	return (aligned_t)arg;
}

static aligned_t down(int n)
{
	aligned_t done;

	qthread_yield();
	if (n)
		return 1 + down(n - 1);
	qthread_fork(leaf, NULL, &done);
	qthread_readFF(NULL, &done);
	return done;
}

static aligned_t task(void *n)
{
	return down((int)(long)n);
}

static void chain(int n)
{
	aligned_t done;

	qthread_initialize();
	qthread_fork(task, (void *)(long)n, &done);
	qthread_readFF(NULL, &done);
}
#else
#include <myth/myth.h>

static void *leaf(void *arg)
{
	return arg;
}

static long down(int n)
{
	void *done;

	myth_yield();
	if (n)
		return 1 + down(n - 1);
	myth_join(myth_create(leaf, NULL), &done);
	return (long)done;
}

static void *task(void *n)
{
	return (void *)down((int)(long)n);
}

static void chain(int n)
{
	myth_join(myth_create(task, (void *)(long)n), NULL);
}
#endif

int main(int argc, char **argv)
{
	chain(argc > 1 ? atoi(argv[1]) : 1000);
	puts("done");
}
