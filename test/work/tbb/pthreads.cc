// SPDX-License-Identifier: MIT
// Threads of the program, each with tasks of its own and of a common group.
#include "threads.hh"

int main()
{
	threads set;
	std::atomic<long> sum{ 0 };
	tbb::task_group common;
	std::vector<std::thread> callers;

	for (int t = 0; t < 4; t++)
		callers.emplace_back([&, t] {
			tbb::task_group own;

			for (int i = 0; i < 50; i++) {
				own.run([&] { sum++; });
				common.run([&] { sum += 1000; });
			}
			own.wait();
			if (t == 2)
				tbb::parallel_for(0, 100, [&](int) { sum++; });
		});
	for (std::thread &thread : callers)
		thread.join();
	common.wait();
	std::printf("sum %ld\n", sum.load());
}
