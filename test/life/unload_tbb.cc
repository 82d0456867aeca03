/* SPDX-License-Identifier: MIT */
/* unload_tbb.cc - a plugin of unload.c: 100 tasks of a group. */
#include <atomic>
#include <oneapi/tbb/task_group.h>

extern "C" long unload_run()
{
	std::atomic<long> sum{0};
	tbb::task_group group;

	for (int i = 0; i < 100; i++)
		group.run([&sum, i] { sum += i; });
	group.wait();
	return sum;
}
