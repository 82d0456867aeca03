// SPDX-License-Identifier: MIT
// operations.c - what devices did for a task, on clocks of their own, and the data that tasks use.
// expect: [o["name"] for o in r["operations"]] == ["kernel", "kernel", "read"]
// expect: [o["device"] for o in r["operations"]] == ["gpu", "gpu", "disk"]
// expect: [o["bytes"] for o in r["operations"]] == [60, 40, 4096]
// expect: [o["busy_ns"] for o in r["operations"]] == [20000000, 10000000, 5000000]
// expect: all(o["file"].endswith("operations.c") and o["line"] > 40 for o in r["operations"])
// expect: [(d["access"], d["node"]) for d in r["data"]] == [("read", None), ("write", 3)]
// expect: [(d["name"], d["bytes"]) for d in r["data"]] == [("uses", 8), ("uses", 64)]
// expect: "1 x operation of a device whose clock was not marked" in r["runtimes"][0]["note"]
// expect: "1 x operation that ends before it begins" in r["runtimes"][0]["note"]
// expect: "1 x access that is none" in r["runtimes"][0]["note"]
#include "shims/task/tptrace_task.h"
#include "test/bench/now.h"

#include <stdio.h>
#include <time.h>

#define CLOCK_PER_S 1000u /* of the device: 1 ms a tick */

static struct tptrace_runtime trace = { "devices", "1", 0 };
static struct tptrace_device gpu = { { "gpu", "", 0 }, CLOCK_PER_S, 0 };
static struct tptrace_device disk = { { "disk", "", 0 }, 0, 0 };
static struct tptrace_device unset = { { "unset", "", 0 }, CLOCK_PER_S, 0 };
static tptrace_task_t task;
static int object[16];

static void pass(int ms)
{
	struct timespec time = { .tv_nsec = ms * 1000000L };

	nanosleep(&time, NULL);
}

static void uses(void)
{
	struct tptrace_here here;
	uint64_t now;

	tptrace_task_clock(&gpu, 7000);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_DEVICE, NULL, NULL);
	pass(40);
	tptrace_task_resume(&here);
	/* on the device: from 10 to 30 ms after its clock was marked, and from 30 to 40 */
	tptrace_task_operation(&gpu, 7010, 7030, 60, tptrace_task_name(NULL, "kernel"));
	tptrace_task_operation(&gpu, 7030, 7040, 40, tptrace_task_name(NULL, "kernel"));
	now = now_ns();
	tptrace_task_operation(&disk, now - 5000000, now, 4096, tptrace_task_name(NULL, "read"));
	tptrace_task_operation(&unset, 1, 2, 0, NULL);
	tptrace_task_operation(&gpu, 2, 1, 0, NULL);
}

int main(void)
{
	struct tptrace_here here, below;

	tptrace_task_workers(&trace, 1);
	tptrace_task_create(&trace, &task, &here, (tptrace_code_t)uses, NULL);
	tptrace_task_data(task, object, TPTRACE_ACCESS_WRITE, sizeof(object), 3);
	tptrace_task_data(task, object, TPTRACE_ACCESS_READ, 8, -1);
	tptrace_task_data(task, object, (enum tptrace_access)9, 8, -1);
	tptrace_task_resume(&here);
	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_CHILDREN, NULL, NULL);
	tptrace_task_begin(&task, &below);
	uses();
	tptrace_task_end(&below);
	tptrace_task_resume(&here);
	printf("done\ntptrace-edges join=1 create=1\ntptrace-tasks 1\n");
	return 0;
}
