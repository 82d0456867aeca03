// SPDX-License-Identifier: MIT
// objects.cc - tptrace_task.hpp: marks as objects, also where a task ends by an exception.
// expect: {k["name"]: k["tasks"] for k in r["kinds"]}["leaf [n=0]"] == 2
// expect: {k["name"]: k["tasks"] for k in r["kinds"]}["leaf [n=1]"] == 1
// expect: {k["name"]: k["tasks"] for k in r["kinds"]}["work"] == 1
// expect: [k["line"] for k in r["kinds"] if k["name"] == "last"] == [7]
// expect: r["tasks_ended"] == 5 and not any(x.get("note") for x in r["runtimes"])
// expect: [x["workers"] for x in r["runtimes"] if x["name"] == "objects"] == [1]
// expect: [(o["name"], o["device"], o["bytes"]) for o in r["operations"]] == [("kernel", "gpu", 7)]
// expect: [(d["name"], d["node"], d["bytes"]) for d in r["data"]] == [("work", 1, 12)]
#include "shims/task/tptrace_task.hpp"

#include <cstdio>

static tptrace::runtime trace("objects");
static tptrace::device gpu("gpu", 1000);
static volatile int sum;
static int object;

static void work(int n)
{
	tptrace::release mark(&object);

	mark.resume();
	sum += n;
	if (n > 4)
		throw n;
}

static void run(tptrace_task_t &task, int n)
{
	tptrace::run mark(task);

	work(n);
}

int main()
{
	tptrace_task_t leaf[3] = {}, plain = 0, last = 0;
	int group;

	trace.workers(1);
	gpu.clock(100);
	gpu.operation(90, 95, 7, tptrace::site("kernel").address());
	for (int i = 0; i < 3; i++) {
		tptrace::create mark(trace, leaf[i], tptrace::site("leaf").value("n", i % 2));
		mark.group(&group);
		mark.access(&group, TPTRACE_ACCESS_UNORDERED);
	}
	{
		tptrace::create mark(trace, plain, tptrace::site(), work);
		mark.needs(&object);
		mark.access(&group, TPTRACE_ACCESS_READ);
		mark.data(&group, TPTRACE_ACCESS_READ, 12, 1);
	}
	{
		tptrace::create mark(trace, last, tptrace::site("last", "last.cc", 7));
		mark.after(leaf[2]);
	}
	{
		tptrace::wait mark(trace, TPTRACE_WAIT_GROUP, &group);
		for (int i = 0; i < 3; i++)
			run(leaf[i], 1 << i);
	}
	{
		tptrace::wait mark(trace, plain);
		try {
			run(plain, 8);
		} catch (int n) {
			sum += n;
		}
	}
	{
		tptrace::wait mark(trace, TPTRACE_WAIT_CHILDREN);
		run(last, 0);
	}
	std::printf("%d\ntptrace-edges join=5 depend=7\ntptrace-tasks 5\n", sum);
	return 0;
}
