// SPDX-License-Identifier: MIT
// A task object that is handed over again before it has run, by itself or by several threads at
// once, counts once; the trace is incomplete then, but never refused.
// expect: [x["what"] for x in r["losses"]] == ["calls"]
#include <oneapi/tbb/detail/_task.h>
#include "threads.hh"

namespace d1 = tbb::detail::d1;

static const int AT_ONCE = 3, AGAIN = 20000, TWICE = 50;

struct restless : d1::task {
	tbb::task_arena arena{ AT_ONCE + 1 };
	tbb::task_group_context context;
	d1::wait_context left{ 0 };
	std::atomic<int> n{ AGAIN };
	std::atomic<long> runs{ 0 };
	d1::task *execute(d1::execution_data &) override
	{
		runs++;
		if (n-- > 0) {
			left.reserve();
			submit(*this, arena, context, true);
		}
		left.release();
		return nullptr;
	}
	d1::task *cancel(d1::execution_data &) override
	{
		left.release();
		return nullptr;
	}
};

static void at_once()
{
	std::vector<std::thread> threads;
	std::atomic<int> here{ 0 };
	restless task;

	task.arena.initialize();
	task.left.reserve(AT_ONCE);
	for (int i = 0; i < AT_ONCE; i++)
		threads.emplace_back([&] {
			here++;
			while (here < AT_ONCE)
				std::this_thread::yield();
			submit(task, task.arena, task.context, true);
		});
	task.arena.execute([&] { d1::wait(task.left, task.context); });
	for (auto &thread : threads)
		thread.join();
	std::printf("runs %ld\n", task.runs.load());
}

// Nobody else takes them: the arena is for one.
static void twice()
{
	restless task;

	task.n = 0;
	task.left.reserve(TWICE);
	for (int i = 0; i < TWICE; i++)
		d1::spawn(task, task.context);
	d1::wait(task.left, task.context);
	std::printf("runs %ld\n", task.runs.load());
}

int main()
{
	tbb::task_arena one(1);

	in_arena(at_once);
	one.execute(twice);
}
