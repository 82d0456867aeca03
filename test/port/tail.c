/* SPDX-License-Identifier: MIT */
/*
 * tail.c - four tasks, and then a time without any: before the runtime is shut down or, with -s,
 * after that, as the process ends.  What a runtime does to end is no activity of the tasks.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PORT_SIZE 1
#define PORT_SMALL 0
#include PORT_HEADER

static void tail_before(void);
#define port_counts tail_before
#include "test/port/port.h"

#define TASKS 4
#define TAIL_NS 400000000

struct empty {
	struct port_task task;
};
PORT_BODY(empty, struct empty)

static void empty(struct empty *at)
{
	__asm__ volatile("" : : "r"(at));
}

static void tail(void)
{
	struct timespec left = { 0, TAIL_NS };

	while (nanosleep(&left, &left) < 0)
		;
}

static bool before;

static void tail_before(void)
{
	if (before)
		tail();
}

static long port_program(long size, long *n_tasks)
{
	static struct empty at[TASKS];

	before = size > 0;
	if (!before)
		atexit(tail);
	PORT_OPEN(group);
	for (long i = 0; i < TASKS; i++)
		PORT_CREATE(group, empty, &at[i]);
	PORT_WAIT(group);
	PORT_CLOSE(group);
	*n_tasks = TASKS;
	return TASKS;
}
