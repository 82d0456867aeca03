// SPDX-License-Identifier: MIT
// task_group: run, wait, run_and_wait, waiting again, waiting for nothing, status.
#include <atomic>
#include <cstdio>
#include <oneapi/tbb/task_group.h>
#include "threads.hh"

static void all()
{
	std::atomic<long> sum{ 0 };
	tbb::task_group group;

	int status = group.wait();

	std::printf("nothing %d\n", status);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 50; i++)
			group.run([&sum, i] { sum += i; });
		status = group.wait();
		std::printf("round %d: %d %ld\n", round, status, sum.load());
	}
	for (int i = 0; i < 10; i++)
		group.run([&] {
			tbb::task_group inner;

			inner.run([&] { sum += 1000; });
			inner.run_and_wait([&] { sum += 1; });
		});
	std::printf("last %d\n", group.run_and_wait([&] { sum += 5; }));
	std::printf("sum %ld\n", sum.load());
}

int main()
{
	in_arena(all);
	std::printf("tptrace-tasks %d\n", 150 + 30 + 1);
}
