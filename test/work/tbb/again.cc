// SPDX-License-Identifier: MIT
// A task object that is handed over again before it has run: it runs each time, and counts once.
#include <cstdio>
#include <oneapi/tbb/detail/_task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

namespace d1 = tbb::detail::d1;

static const int TIMES = 50;

struct counted : d1::task {
	d1::wait_context left{ TIMES };
	int runs = 0;
	d1::task *execute(d1::execution_data &) override
	{
		runs++;
		left.release();
		return nullptr;
	}
	d1::task *cancel(d1::execution_data &data) override
	{
		return execute(data);
	}
};

static void again()
{
	tbb::task_group_context context;
	counted task;

	for (int i = 0; i < TIMES; i++)
		d1::spawn(task, context); /* and nobody else takes it: the arena is for one */
	d1::wait(task.left, context);
	std::printf("runs %d\n", task.runs);
}

int main()
{
	tbb::task_arena one(1);

	one.execute(again);
	one.execute(again);
	std::printf("tptrace-tasks 2\n");
}
