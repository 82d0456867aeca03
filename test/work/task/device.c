// SPDX-License-Identifier: MIT
// device.c - a task waits for a device, alone and below another task: that is no work.
// expect: sum(r["states"]["device"].values()) >= 40e6
// expect: max(k["device_ns"] for k in r["kinds"] if k["name"] == "copies") >= 40e6
// expect: max(k["work_ns"] for k in r["kinds"] if k["name"] == "copies") < 20e6
// expect: not any(x.get("note") for x in r["runtimes"])
#include "shims/task/tptrace_task.h"

#include <stdio.h>
#include <time.h>

static struct tptrace_runtime trace = { "devices", "1", 0 };
static tptrace_task_t task, other;

static void pass(int ms)
{
	struct timespec time = { .tv_nsec = ms * 1000000L };

	nanosleep(&time, NULL);
}

static void on_top(void)
{
	struct tptrace_here here;

	tptrace_task_begin(&other, &here);
	for (volatile int i = 0; i < 1000; i++)
		;
	tptrace_task_end(&here);
}

static void copies(void)
{
	struct tptrace_here here;

	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_DEVICE, NULL, NULL);
	pass(40);
	tptrace_task_resume(&here);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_DEVICE, NULL, NULL);
	on_top();
	tptrace_task_resume(&here);
}

static void create(tptrace_task_t *made, void (*code)(void))
{
	struct tptrace_here here;

	tptrace_task_create(&trace, made, &here, code, NULL);
	tptrace_task_resume(&here);
}

int main(void)
{
	struct tptrace_here here, below;

	tptrace_task_workers(&trace, 1);
	create(&task, copies);
	create(&other, on_top);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_CHILDREN, NULL, NULL);
	tptrace_task_begin(&task, &below);
	copies();
	tptrace_task_end(&below);
	tptrace_task_resume(&here);
	printf("done\ntptrace-edges join=2 create=2\ntptrace-tasks 2\n");
	return 0;
}
