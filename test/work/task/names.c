// SPDX-License-Identifier: MIT
// names.c - names, places and values of tasks, releases by others, and a thread that is no worker.
// expect: {k["name"]: k["tasks"] for k in r["kinds"]}["gemm [n=512]"] == 2
// expect: {k["name"]: k["tasks"] for k in r["kinds"]}["gemm [n=256, priority=1]"] == 1
// expect: {k["name"]: k["tasks"] for k in r["kinds"]}["[n=3]"] == 1
// expect: {k["name"]: k["tasks"] for k in r["kinds"]}["plain"] == 1
// expect: {k["name"]: (k["file"], k["line"]) for k in r["kinds"]}["solve"] == ("model.jl", 17)
// expect: len({k["line"] for k in r["kinds"] if k["name"] in ("gemm [n=512]", "[n=3]")}) == 1
// expect: r["workers"] == 2 and not any(x.get("note") for x in r["runtimes"])
#include "shims/task/tptrace_task.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static struct tptrace_runtime trace = { "named", "1", 0 };
static tptrace_task_t task[6];
static int counter;
static volatile int sum;
static _Atomic int n_running;

static void code(void)
{
	for (int i = 0; i < 100000; i++)
		sum += i & 1;
}

static void create(int i, const void *site)
{
	struct tptrace_here here;

	tptrace_task_create(&trace, &task[i], &here, code, site);
	if (i == 5) // two counted dependences, of tasks of two threads
		tptrace_task_needs(task[i], &counter);
	tptrace_task_resume(&here);
}

static void *run_one(void *arg)
{
	struct tptrace_here here;

	tptrace_task_begin(arg, &here);
	n_running++;
	while (n_running < 2) // two workers, whatever the machine does
		sched_yield();
	code();
	tptrace_task_end(&here);
	return NULL;
}

static void on_thread(tptrace_task_t *one)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run_one, one);
	pthread_join(thread, NULL);
}

/* main() hands out, and no more; workers come and go, two at once. */
static void run_all(void)
{
	pthread_t first, second;

	pthread_create(&first, NULL, run_one, &task[0]);
	pthread_create(&second, NULL, run_one, &task[1]);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	on_thread(&task[2]);
	on_thread(&task[3]);
	tptrace_task_release_by(task[0], &counter);
	tptrace_task_release_by(task[1], &counter);
	tptrace_task_release_by(task[5], &counter); // has not ended: by nobody
	on_thread(&task[4]);
	on_thread(&task[5]);
}

int main(void)
{
	struct tptrace_here here;
	char name[8];

	tptrace_task_no_worker();
	strcpy(name, "gemm");
	create(0, tptrace_task_value(tptrace_task_name(NULL, name), "n", 512));
	create(1, tptrace_task_value(tptrace_task_name(NULL, "gemm"), "n", 512));
	create(2, tptrace_task_priority(tptrace_task_value(tptrace_task_name(NULL, name), "n", 256),
					1));
	strcpy(name, "other"); // it was copied
	create(3, tptrace_task_value(NULL, "n", 3));
	create(4, tptrace_task_place(NULL, "solve", "model.jl", 17));
	create(5, tptrace_task_name(NULL, "plain"));
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_CHILDREN, NULL,
			  tptrace_task_name(NULL, "all"));
	run_all();
	tptrace_task_resume(&here);
	printf("%d\ntptrace-edges join=6 depend=2 create=6\ntptrace-tasks 6\n", sum > 0);
	return 0;
}
