/* SPDX-License-Identifier: MIT */
/* fib.c - Fibonacci's numbers by two tasks a call, and no cut-off: nothing but tasks. */
#define PORT_SIZE 14
#define PORT_SMALL 10
#include "test/port/port.h"

struct fib {
	struct port_task task;
	long n, result;
};
PORT_BODY(fib, struct fib)

static void fib(struct fib *at)
{
	struct fib before[2];

	if (at->n < 2) {
		at->result = at->n;
		return;
	}
	PORT_OPEN(group);
	memset(before, 0, sizeof(before));
	before[0].n = at->n - 1;
	before[1].n = at->n - 2;
	PORT_CREATE(group, fib, &before[0]);
	PORT_CREATE(group, fib, &before[1]);
	PORT_WAIT(group);
	at->result = before[0].result + before[1].result;
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
	return root.result;
}
