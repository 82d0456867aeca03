/* SPDX-License-Identifier: MIT */
/*
 * port.h - fork-join programs, written once for every runtime.
 *
 *	struct fib {
 *		struct port_task task;			first, and zero as long as it is no task
 *		long n, result;
 *	};
 *	PORT_BODY(fib, struct fib)			static void fib(struct fib *) may be a task
 *
 *	PORT_OPEN(group);				once in a function, after its early returns
 *	PORT_CREATE(group, fib, &at[0]);		fib(&at[0]) becomes a task of the group
 *	PORT_CREATE_AFTER(group, fib, &at[2], &at[0], &at[1]);	not before these two have ended
 *	PORT_WAIT(group);				for all of the group's tasks; as often as
 *needed PORT_CLOSE(group);				before the return
 *
 * What PORT_CREATE_AFTER comes after was created before it, or never: then it counts as ended.
 *
 * A runtime is one header that defines these, and
 *
 *	PORT_DEPENDS	0: it has no PORT_CREATE_AFTER
 *	PORT_NESTS	0: its tasks cannot wait for tasks; those of main() can be waited for
 *	PORT_RUN(call)	makes the call where tasks can be created
 *	port_start, port_stop, port_counts
 *
 * It is chosen by -DPORT_HEADER='"gomp.h"'.  The programs are C that is C++17 too, for oneTBB.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/bench/now.h"
#include PORT_HEADER

/*
 * A program is this one, and two sizes that it defines before it includes this: PORT_SIZE, if
 * nothing else is asked for, and PORT_SMALL, enough to start the runtime and the recorder.
 */
static long port_program(long size, long *n_tasks); /* the result; how many tasks it created */

/*
 * Prints the result and "tptrace-tasks N"; with -t what it took, as test/bench/fib.c does, and
 * the result.  -s is for PORT_SMALL.
 */
int main(int argc, char **argv)
{
	bool timed = argc > 1 && strcmp(argv[1], "-t") == 0;
	const char *asked = argc > 1 + timed ? argv[1 + timed] : NULL;
	long size = PORT_SIZE;
	long result = 0, n_tasks = 0;
	uint64_t begin_ns, begin_cpu_ns, ns;

	if (asked)
		size = strcmp(asked, "-s") == 0 ? PORT_SMALL : strtol(asked, NULL, 10);
	port_start();
	if (timed)
		PORT_RUN(result = port_program(PORT_SMALL, &n_tasks));
	begin_ns = now_ns();
	begin_cpu_ns = now_cpu_ns();
	n_tasks = 0;
	PORT_RUN(result = port_program(size, &n_tasks));
	ns = now_ns() - begin_ns;
	if (timed)
		printf("ns_per_task %.4f cpu_ns_per_task %.4f tasks %ld thread_cpu_ns %.0f "
		       "seconds %.9f result %ld\n",
		       (double)ns / (double)n_tasks,
		       (double)(now_cpu_ns() - begin_cpu_ns) / (double)n_tasks, n_tasks,
		       (double)now_cpu_ns(), (double)ns / 1e9, result);
	else
		printf("size %ld: %ld\ntptrace-tasks %ld\n", size, result, n_tasks);
	port_counts();
	port_stop();
	return 0;
}
