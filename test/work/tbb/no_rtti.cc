// SPDX-License-Identifier: MIT
// Task types without names.
// flags: -fno-rtti
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
