// SPDX-License-Identifier: MIT
// Tasks of a plugin: another one has other tasks at the same addresses.
// part-of: plugin.cc
#include <atomic>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

struct work_of_plugin_a {
	std::atomic<long> *sum;
	void operator()() const
	{
		*sum += 1;
	}
};

extern "C" long plugin_run(int n)
{
	std::atomic<long> sum{ 0 };
	tbb::task_group group;

	for (int i = 0; i < n; i++)
		group.run(work_of_plugin_a{ &sum });
	group.wait();
	return sum;
}
