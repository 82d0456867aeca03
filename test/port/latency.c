/* SPDX-License-Identifier: MIT */
/*
 * latency.c - how long a runtime takes for a child: to create it, until it begins, here or on
 * another worker, and until the parent goes on; and for a wait for nothing.  The same is Figure 8.3
 * of Huynh's thesis: latencies of children and parents.
 *
 * A round creates one child, works for PARENT_NS, so that another worker can take the child, and
 * waits.  Prints "latency NAME ROUNDS P10 P50 P90" (ns) for each that was seen, read by the clock
 * alone, without a recorder.  Which worker ran what is known by the thread.
 */
#ifndef PORT_SIZE
#define PORT_SIZE 2000
#define PORT_SMALL 10
#endif
#include <sys/syscall.h>
#include <unistd.h>

#include "test/port/port.h"

#define PARENT_NS 20000u /* longer than a steal takes: thieves that sleep are another matter */
#define CHILD_NS 1000u
#define ROUNDS_MOST 100000
#define QUICK 20 /* empty waits, timed together: one is near the clock's own time */

enum measure { CREATE, INLINED, CONTINUATION, STEAL, AT_WAIT, JOIN, EMPTY_WAIT, MEASURES };
static const char *const measure_name[MEASURES] = { "create", "inlined",  "continuation", "steal",
						    "at-wait", "join", "empty-wait" };

struct child {
	struct port_task task;
	uint64_t begun_ns, ended_ns;
	long thread;
};
PORT_BODY(child, struct child)

static double *values[MEASURES];
static long n_values[MEASURES];

static long this_thread(void)
{
	return syscall(SYS_gettid);
}

static uint64_t spin(uint64_t from_ns, uint64_t ns)
{
	uint64_t now;

	do
		now = now_ns();
	while (now - from_ns < ns);
	return now;
}

static void child(struct child *at)
{
	at->begun_ns = now_ns();
	at->thread = this_thread();
	at->ended_ns = spin(at->begun_ns, CHILD_NS);
}

static void keep(enum measure measure, uint64_t from_ns, uint64_t to_ns)
{
	if (to_ns >= from_ns && n_values[measure] < ROUNDS_MOST)
		values[measure][n_values[measure]++] = (double)(to_ns - from_ns);
}

struct round {
	uint64_t before_ns, after_ns, waited_from_ns, waited_ns;
	long thread, thread_after;
};

static void keep_round(const struct round *round, const struct child *one)
{
	bool here = one->thread == round->thread;
	bool at_once = here && one->begun_ns < round->after_ns;

	if (at_once)
		keep(INLINED, round->before_ns, one->begun_ns);
	else if (round->thread_after == round->thread)
		keep(CREATE, round->before_ns, round->after_ns);
	if (at_once && round->thread_after == round->thread)
		keep(CONTINUATION, one->ended_ns, round->after_ns);
	if (!here)
		keep(STEAL, round->before_ns, one->begun_ns);
	else if (round->thread_after != round->thread)
		keep(STEAL, round->before_ns, round->after_ns); /* of the parent */
	if (here && one->begun_ns >= round->waited_from_ns)
		keep(AT_WAIT, round->waited_from_ns, one->begun_ns);
	if (one->ended_ns > round->waited_from_ns)
		keep(JOIN, one->ended_ns, round->waited_ns);
}

static void run_rounds(long n)
{
	PORT_OPEN(group);
	for (long i = 0; i < n; i++) {
		struct round round;
		struct child one;

		memset(&one, 0, sizeof(one));
		round.thread = this_thread();
		round.before_ns = now_ns();
		PORT_CREATE(group, child, &one);
		round.after_ns = now_ns();
		round.thread_after = this_thread();
		round.waited_from_ns = spin(round.after_ns, PARENT_NS);
		PORT_WAIT(group);
		round.waited_ns = now_ns();
		keep_round(&round, &one);
	}
	for (long i = 0; i < n; i++) {
		uint64_t from_ns = now_ns();

		for (int k = 0; k < QUICK; k++) {
			PORT_WAIT(group);
		}
		keep(EMPTY_WAIT, from_ns, from_ns + (now_ns() - from_ns) / QUICK);
	}
	PORT_CLOSE(group);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void put_measures(void)
{
	for (int m = 0; m < MEASURES; m++) {
		long n = n_values[m];

		qsort(values[m], (size_t)n, sizeof(double), ascending);
		if (n)
			printf("latency %s %ld %.0f %.0f %.0f\n", measure_name[m], n,
			       values[m][n / 10], values[m][n / 2], values[m][n - 1 - n / 10]);
	}
}

static long port_program(long size, long *n_tasks)
{
	for (int m = 0; m < MEASURES; m++) {
		n_values[m] = 0;
		if (!values[m])
			values[m] = (double *)calloc(ROUNDS_MOST, sizeof(double));
		if (!values[m])
			return 1;
	}
	run_rounds(PORT_SMALL); /* the runtime's workers begin */
	for (int m = 0; m < MEASURES; m++)
		n_values[m] = 0;
	run_rounds(size);
	put_measures();
	*n_tasks = size + PORT_SMALL;
	return 0;
}
