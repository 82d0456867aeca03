// SPDX-License-Identifier: MIT
// marks.cc - each mark once, from C++: a runtime whose tasks run where they are waited for.
// expect: r["tasks_ended"] == 10 and r["tasks_never_begun"] == 0 and r["tasks_cancelled"] == 1
// expect: sorted(x["name"] + " " + x["version"] for x in r["runtimes"]) == ["here ?", "there 2"]
// expect: [x["workers"] for x in r["runtimes"] if x["name"] == "here"] == [3]
// expect: not any(x.get("note") for x in r["runtimes"])
#include "shims/task/tptrace_task.h"

#include <cstdio>

static struct tptrace_runtime trace = { "here", NULL, 0 };
static struct tptrace_runtime again = { "here", "", 0 };
static struct tptrace_runtime there = { "there", "2", 0 };

static volatile int sum;

static void work(int n)
{
	sum += n;
}

static void create(tptrace_runtime *runtime, tptrace_task_t *task)
{
	tptrace_here here;

	tptrace_task_create(runtime, task, &here, (tptrace_code_t)work, TPTRACE_TASK_CALLER);
	tptrace_task_resume(&here);
}

/* On top of a task that waits, or of one that runs. */
static void run(tptrace_task_t *task, int n)
{
	tptrace_here here;

	tptrace_task_begin(task, &here);
	work(n);
	tptrace_task_end(&here);
}

static void release(void *object)
{
	tptrace_here here;

	tptrace_task_release(&here, object);
	tptrace_task_resume(&here);
}

/* One writes an object, two write it in any order, one reads it: four dependences. */
static void accesses(int *object)
{
	static const tptrace_access order[] = { TPTRACE_ACCESS_WRITE, TPTRACE_ACCESS_UNORDERED,
						TPTRACE_ACCESS_UNORDERED, TPTRACE_ACCESS_READ };
	tptrace_task_t task[4] = { 0 };

	for (int i = 0; i < 4; i++) {
		tptrace_here here;

		tptrace_task_create(&trace, &task[i], &here, (tptrace_code_t)work, NULL);
		tptrace_task_access(task[i], object, order[i]);
		tptrace_task_resume(&here);
	}
	run(&task[0], 0);
	run(&task[2], 0);
	run(&task[1], 0);
	run(&task[3], 0);
}

int main()
{
	tptrace_task_t inlined = 0, child = 0, one = 0, of_group = 0, later = 0, never = 0,
		       last = 0;
	tptrace_here here;
	int counter = 0, group = 0;

	tptrace_task_workers(&trace, 3);
	create(&trace, &inlined);
	run(&inlined, 1);
	create(&trace, &child);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_CHILDREN, NULL, NULL);
	run(&child, 2);
	tptrace_task_resume(&here); // joins two
	create(&again, &one);
	tptrace_task_wait_for(&trace, &here, one, NULL);
	run(&one, 4);
	tptrace_task_resume(&here); // joins one
	tptrace_task_create(&there, &of_group, &here, (tptrace_code_t)work, NULL);
	tptrace_task_group(of_group, &group);
	tptrace_task_resume(&here);
	tptrace_task_create(&there, &later, &here, 0, NULL);
	tptrace_task_needs(later, &counter); // by whom it is released
	tptrace_task_after(later, one);      // has ended
	tptrace_task_resume(&here);
	create(&there, &never);
	tptrace_task_discard(&never);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_GROUP, &group, NULL);
	run(&of_group, 8);
	tptrace_task_resume(&here); // joins one
	release(&counter);
	tptrace_task_create(&trace, &last, &here, (tptrace_code_t)work, NULL);
	tptrace_task_after(last, of_group);
	tptrace_task_resume(&here);
	run(&later, 16);
	run(&last, 32);
	accesses(&counter);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_YIELD, NULL, NULL);
	tptrace_task_resume(&here);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_CHILDREN, NULL, NULL);
	tptrace_task_resume(&here);
	printf("%d\ntptrace-edges join=10 depend=7\ntptrace-tasks 11\n", sum);
	return 0;
}
