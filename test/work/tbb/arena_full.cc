// SPDX-License-Identifier: MIT
// More threads execute in an arena than it has room for: others run their functions, or they wait.
#include "threads.hh"

int main()
{
	threads set;
	std::atomic<long> sum{ 0 }, moved{ 0 }, thrown{ 0 };
	tbb::task_arena arena(2, 1);
	std::vector<std::thread> callers;

	for (int t = 0; t < 6; t++)
		callers.emplace_back([&] {
			for (int i = 0; i < 30; i++) {
				std::thread::id self = std::this_thread::get_id();

				arena.execute([&] {
					moved += self != std::this_thread::get_id();
					tbb::parallel_for(0, 20, [&](int k) { sum += k; });
				});
				try {
					arena.execute([&] {
						std::this_thread::yield();
						if (i % 10 == 0)
							throw 3;
					});
				} catch (int n) {
					thrown += n;
				}
			}
		});
	for (std::thread &thread : callers)
		thread.join();
	std::printf("sum %ld thrown %ld\n", sum.load(), thrown.load());
}
