/* SPDX-License-Identifier: MIT */
/*
 * fib.c - Fibonacci's numbers by two tasks a call, and no cut-off: nothing but tasks; or tasks for
 * the first CUT_OFF calls of the recursion, in test/bench/bots.
 */
#ifndef PORT_SIZE
#define PORT_SIZE 14
#define PORT_SMALL 10
#endif
#include "test/port/port.h"

struct fib {
	struct port_task task;
	long n, result;
#ifdef CUT_OFF
	int level;
	long n_tasks;
#endif
};
PORT_BODY(fib, struct fib)

#ifdef CUT_OFF
static long fib_alone(long n)
{
	return n < 2 ? n : fib_alone(n - 1) + fib_alone(n - 2);
}
#endif

static void fib(struct fib *at)
{
	struct fib before[2];

	if (at->n < 2) {
		at->result = at->n;
		return;
	}
#ifdef CUT_OFF
	if (at->level == CUT_OFF) {
		at->result = fib_alone(at->n);
		return;
	}
#endif
	PORT_OPEN(group);
	memset(before, 0, sizeof(before));
	before[0].n = at->n - 1;
	before[1].n = at->n - 2;
#ifdef CUT_OFF
	before[0].level = before[1].level = at->level + 1;
#endif
	PORT_CREATE(group, fib, &before[0]);
	PORT_CREATE(group, fib, &before[1]);
	PORT_WAIT(group);
	at->result = before[0].result + before[1].result;
#ifdef CUT_OFF
	at->n_tasks = 2 + before[0].n_tasks + before[1].n_tasks;
#endif
	PORT_CLOSE(group);
}

static long port_program(long size, long *n_tasks)
{
	struct fib root;
	long last = 0, calls = 1;

	memset(&root, 0, sizeof(root));
	root.n = size;
	for (long n = 1; n < size; n++) { /* calls of fib(n + 1) */
		long next = calls + (n > 1 ? last : 1) + 1;

		last = calls;
		calls = next;
	}
	*n_tasks = calls - 1;
	fib(&root);
#ifdef CUT_OFF
	*n_tasks = root.n_tasks;
#endif
	return root.result;
}
