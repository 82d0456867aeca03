/* SPDX-License-Identifier: MIT */
/*
 * flat.c - N empty tasks, a thousand at a time: for the benchmark of what cannot do fib.
 *
 * Where main() is no worker, none begins before all of a thousand are created: what creating and
 * running them takes is then the time of both, one after the other.
 */
#define PORT_SIZE 10000
#define PORT_SMALL 1000
#include "test/port/port.h"

#define BATCH 1000

#ifndef PORT_HOLD
#define PORT_HOLD(held) (void)(held)
#endif

struct empty {
	struct port_task task;
};
PORT_BODY(empty, struct empty)

static void empty(struct empty *at)
{
	__asm__ volatile("" : : "r"(at));
}

static long port_program(long size, long *n_tasks)
{
	static struct empty at[BATCH];

	PORT_OPEN(group);
	*n_tasks = size / BATCH * BATCH;
	for (long i = 0; i < *n_tasks; i += BATCH) {
		memset(at, 0, sizeof(at));
		PORT_HOLD(true);
		for (long j = 0; j < BATCH; j++)
			PORT_CREATE(group, empty, &at[j]);
		PORT_HOLD(false);
		PORT_WAIT(group);
	}
	PORT_CLOSE(group);
	return *n_tasks;
}
