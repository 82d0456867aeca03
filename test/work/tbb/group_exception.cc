// SPDX-License-Identifier: MIT
// Exceptions out of a group's tasks, run or run_and_wait: who waits gets one, and goes on.
#include <stdexcept>
#include <string>
#include "threads.hh"

static std::atomic<long> sum;

static void level(int n)
{
	tbb::task_group group;

	if (n == 0)
		throw std::runtime_error("deep");
	group.run([n] { level(n - 1); });
	group.wait();
}

static void all()
{
	for (int round = 0; round < 20; round++) {
		tbb::task_group group;

		for (int i = 0; i < 20; i++)
			group.run([i] {
				if (i == 10)
					throw std::runtime_error("ten");
			});
		try {
			group.wait();
			std::printf("no exception\n");
		} catch (const std::runtime_error &error) {
			sum += error.what() == std::string("ten");
		}
		group.run([] { sum += 100; });
		group.wait();
		try {
			group.run_and_wait([] { throw 7; });
		} catch (int n) {
			sum += 1000 * n;
		}
	}
	try {
		level(8);
	} catch (const std::exception &error) {
		std::printf("%s\n", error.what());
	}
	std::printf("sum %ld\n", sum.load());
}

int main()
{
	in_arena(all);
	std::printf("tptrace-tasks %d\n", 20 * (20 + 2) + 8);
}
