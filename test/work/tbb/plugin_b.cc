// SPDX-License-Identifier: MIT
// Tasks of a plugin: another one has other tasks at the same addresses.
// part-of: plugin.cc
#include <atomic>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

struct work_of_plugin_b {
	std::atomic<long> *sum;
	void operator()() const
	{
		*sum += 1000;
	}
};

/* So that functions lie elsewhere than in the other plugin, but tables do not. */
extern "C" int plugin_pad(int n)
{
	for (int i = 0; i < 10; i++)
		n = n * 31 + i / (n | 1);
	return n;
}

#define WORK work_of_plugin_b
#include "plugin_run.h"
