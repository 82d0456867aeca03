/* SPDX-License-Identifier: MIT */
/*
 * stretched.c - N tasks that take twice the CPU time where the process has more than one CPU.
 *
 * As if they hindered one another, but on any machine, however loaded: what `record --baseline` has
 * to say of it is known.  With EVEN=1 in the environment they take as much on one CPU.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define PORT_SIZE 40
#define PORT_SMALL 1
#include <sched.h>
#include <unistd.h>
#include "test/port/port.h"

#define ALONE_NS 10000000u

struct part {
	struct port_task task;
	unsigned long sum;
};
PORT_BODY(part, struct part)

static void part(struct part *at)
{
	uint64_t begin_ns = now_cpu_ns();
	cpu_set_t cpus;
	int times;

	sched_getaffinity(getpid(), sizeof(cpus), &cpus);
	times = CPU_COUNT(&cpus) > 1 && !getenv("EVEN") ? 2 : 1;
	while (now_cpu_ns() - begin_ns < times * ALONE_NS)
		for (unsigned long i = 0; i < 1000; i++)
			at->sum += i;
}

static long port_program(long size, long *n_tasks)
{
	static struct part at[1000];

	PORT_OPEN(group);
	*n_tasks = size < 1000 ? size : 1000;
	for (long i = 0; i < *n_tasks; i++)
		PORT_CREATE(group, part, &at[i]);
	PORT_WAIT(group);
	PORT_CLOSE(group);
	return 0;
}
