// SPDX-License-Identifier: MIT
// Task types without names.
// flags: -fno-rtti
#include <atomic>
#include <cstdio>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include "threads.hh"

int main()
{
	std::atomic<long> sum{ 0 };

	in_arena([&] {
		tbb::task_group group;

		for (int i = 0; i < 30; i++)
			group.run([&sum, i] { sum += i; });
		group.wait();
	});
	std::printf("sum %ld\n", sum.load());
	std::printf("tptrace-tasks 30\n");
}
