// SPDX-License-Identifier: MIT
// One task object that is handed over by several threads at once, and by itself, before it has run:
// each time is a task. One of a class that passes for oneTBB's own; one that is cancelled.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>
#include <oneapi/tbb/detail/_task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include "threads.hh"

namespace d1 = tbb::detail::d1;

static const int AT_ONCE = 3, AGAIN = 20000, TWICE = 50;

struct counter {
	d1::wait_context left{ 0 };
	tbb::task_group_context context;
	std::atomic<long> runs{ 0 }, cancels{ 0 };
};

struct restless : d1::task {
	counter &all;
	tbb::task_arena &arena;
	std::atomic<int> n{ AGAIN };
	restless(counter &to, tbb::task_arena &in) : all(to), arena(in)
	{
	}
	d1::task *execute(d1::execution_data &) override
	{
		all.runs++;
		if (n-- > 0) {
			all.left.reserve();
			submit(*this, arena, all.context, true);
		}
		all.left.release();
		return nullptr;
	}
	d1::task *cancel(d1::execution_data &) override
	{
		all.cancels++;
		all.left.release();
		return nullptr;
	}
};

namespace tbb
{
namespace detail
{
namespace d1
{
struct passes : task {
	counter &all;
	passes(counter &to) : all(to)
	{
	}
	task *execute(execution_data &) override
	{
		all.runs++;
		all.left.release();
		return nullptr;
	}
	task *cancel(execution_data &) override
	{
		all.cancels++;
		all.left.release();
		return nullptr;
	}
};
}
}
}

static void at_once()
{
	tbb::task_arena arena(AT_ONCE + 1);
	std::vector<std::thread> threads;
	std::atomic<int> here{ 0 };
	counter c;
	restless task(c, arena);

	arena.initialize();
	c.left.reserve(AT_ONCE);
	for (int i = 0; i < AT_ONCE; i++)
		threads.emplace_back([&] {
			here++;
			while (here < AT_ONCE)
				std::this_thread::yield();
			submit(task, arena, c.context, true);
		});
	arena.execute([&] { d1::wait(c.left, c.context); });
	for (auto &thread : threads)
		thread.join();
	std::printf("runs %ld\n", c.runs.load());
}

/* Nobody else takes them: the arena is for one. */
template <typename task_type> static void twice(bool cancelled)
{
	counter c;
	task_type task(c);

	for (int round = 0; round < 2; round++) {
		c.left.reserve(TWICE);
		for (int i = 0; i < TWICE; i++)
			d1::spawn(task, c.context);
		if (cancelled)
			c.context.cancel_group_execution();
		d1::wait(c.left, c.context);
	}
	std::printf("runs %ld cancels %ld\n", c.runs.load(), c.cancels.load());
}

struct own : d1::passes {
	using passes::passes;
};

int main()
{
	tbb::task_arena one(1);

	in_arena(at_once);
	one.execute([] {
		twice<own>(false);
		twice<own>(true);
		twice<d1::passes>(true);
		twice<d1::passes>(false);
	});
	std::printf("tptrace-tasks %d\n", AT_ONCE + AGAIN + 8 * TWICE);
}
