// SPDX-License-Identifier: MIT
// Tasks that are made first and handed over later, to a group or an arena; one never is.
#include "threads.hh"

int main()
{
	threads set;
	std::atomic<long> sum{ 0 };
	tbb::task_group group;
	tbb::task_arena arena(n_threads());

	for (int i = 0; i < 20; i++) {
		tbb::task_handle handle = group.defer([&sum, i] { sum += i; });

		if (i % 3 == 0)
			group.run(std::move(handle));
		else if (i % 3 == 1)
			arena.enqueue(std::move(handle));
		else
			tbb::this_task_arena::enqueue(std::move(handle));
	}
	{
		tbb::task_handle never = group.defer([&sum] { sum += 1000000; });
	}
	group.wait();

	std::atomic<int> left{ 10 };

	for (int i = 0; i < 10; i++)
		tbb::this_task_arena::enqueue([&] {
			sum += 100;
			left--;
		});
	while (left)
		std::this_thread::yield();
	std::printf("sum %ld\n", sum.load());
	std::printf("tptrace-tasks 30\n");
}
