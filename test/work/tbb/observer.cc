// SPDX-License-Identifier: MIT
// An observer sees threads come and go, and makes tasks itself, outside of all tasks.
#include <oneapi/tbb/task_scheduler_observer.h>
#include "threads.hh"

static std::atomic<long> entered, sum;

struct observer : tbb::task_scheduler_observer {
	tbb::task_group &group;
	observer(tbb::task_arena &arena, tbb::task_group &to)
		: tbb::task_scheduler_observer(arena), group(to)
	{
		observe(true);
	}
	void on_scheduler_entry(bool) override
	{
		entered++;
		group.run([] { sum++; });
	}
	void on_scheduler_exit(bool) override
	{
		entered--;
	}
};

int main()
{
	threads set;
	tbb::task_arena arena(n_threads());
	tbb::task_group group;
	observer watch(arena, group);

	for (int round = 0; round < 20; round++)
		arena.execute([] {
			tbb::parallel_for(0, 300, [](int) {
				for (volatile int k = 0; k < 200; k = k + 1)
					;
			});
		});
	arena.execute([&] { group.wait(); });
	std::printf("%s\n", sum > 0 ? "seen" : "never");
	watch.observe(false);
	arena.execute([&] { group.wait(); });
}
